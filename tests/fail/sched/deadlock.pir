pir 1

// The barrier takes two arrivals and one comes.
kernel @deadlock {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=2>)
      control.cond %10 {
        barrier.arrive %1
        control.yield
      } {
        barrier.wait %1 // ERROR: sched.deadlock
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
