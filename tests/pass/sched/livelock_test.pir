pir 1

// A thread tests a barrier until the other arrives.
kernel @livelock_test {
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
        %20 = control.while bool(false) {
        (%21: bool)
        %22 = arith.not %21 : bool
        control.yield %22
        } {
        (%23: bool)
        %24 = barrier.test %1 : bool
        control.yield %24
        } : bool
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
