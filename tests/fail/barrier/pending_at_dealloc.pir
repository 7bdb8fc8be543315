pir 1

// One of two arrivals comes, and the scope ends.
kernel @pending_at_dealloc {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} { // ERROR: barrier.pending-at-dealloc
      (%1 "both": barrier<[], arrivals=2>)
      control.cond %0 {
        barrier.arrive %1
        control.yield
      } {
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
