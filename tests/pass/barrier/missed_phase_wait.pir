pir 1

// The waiter asks for the second phase when only that is complete.
kernel @missed_phase_wait {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=1>, %2 "seen": barrier<[], arrivals=1>, %3 "done": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive %1
        barrier.wait %2
        barrier.arrive %1
        barrier.arrive %3
        control.yield
      } {
        barrier.wait %1
        barrier.arrive %2
        barrier.wait %3
        barrier.wait %1
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
