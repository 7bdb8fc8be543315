pir 1

// Both arrivals come before the scope ends.
kernel @pending_at_dealloc {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "both": barrier<[], arrivals=2>)
      barrier.arrive %1
      control.yield
    }
    control.yield
  }
}
