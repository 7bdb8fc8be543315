pir 1

// A thread waits for the first time when one phase is complete.
kernel @late_first_wait {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=1>, %2 "go": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive_and_wait %1
        barrier.arrive %2
        control.yield
      } {
        barrier.wait %2
        barrier.wait %1
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
