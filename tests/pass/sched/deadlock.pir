pir 1

// The barrier takes one arrival.
kernel @deadlock {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive %1
        control.yield
      } {
        barrier.wait %1
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
