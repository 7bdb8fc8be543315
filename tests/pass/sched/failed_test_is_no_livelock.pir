pir 1

// A failed test is no fault: the thread goes on, and the other may wait for it.
kernel @failed_test_is_no_livelock {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "a": barrier<[], arrivals=1>, %2 "b": barrier<[], arrivals=1>)
      control.cond %10 {
        %20 = barrier.test %1 : bool
        barrier.arrive %2
        control.yield
      } {
        barrier.wait %2
        barrier.arrive %1
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
