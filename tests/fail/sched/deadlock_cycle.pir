pir 1

// Each thread waits for the other before it arrives.
kernel @deadlock_cycle {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "a": barrier<[], arrivals=1>, %2 "b": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.wait %2 // ERROR: sched.deadlock
        barrier.arrive %1
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
