pir 1

// Nothing arrives on the barrier after its waiter has left.
kernel @realloc_unobserved_later {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "first": barrier<[], arrivals=1>, %2 "seen": barrier<[], arrivals=1>)
      control.cond %0 {
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
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "second": barrier<[], arrivals=2>)
      barrier.arrive_and_wait %3
      control.yield
    }
    control.yield
  }
}
