pir 1

// One thread arrives before it waits.
kernel @deadlock_cycle {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "a": barrier<[], arrivals=1>, %2 "b": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive %1
        barrier.wait %2
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
