pir 1

// A thread goes on to the next allocation, and then the barrier that it left completes again.
kernel @realloc_unobserved_later {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} { // ERROR: barrier.realloc-unobserved
      (%1 "first": barrier<[], arrivals=1>, %2 "seen": barrier<[], arrivals=1>)
      control.cond %0 {
        barrier.arrive %1
        barrier.wait %2
        barrier.arrive %1
        control.yield
      } {
        barrier.wait %1
        barrier.arrive %2
        control.yield
      }
      control.yield
    }
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "second": barrier<[], arrivals=2>)
      barrier.arrive_and_wait %3
      control.yield
    }
    control.yield
  }
}
