pir 1

// The waiter of the first phase misses the second; the fourth completion shows it.
kernel @missed_phase_arrive {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=1>, %2 "seen": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive %1
        barrier.wait %2
        barrier.arrive %1
        barrier.arrive %1
        barrier.arrive %1 // ERROR: barrier.missed-phase
        control.yield
      } {
        barrier.wait %1
        barrier.arrive %2
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
