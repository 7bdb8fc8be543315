pir 1

// The thread has seen all phases when it allocates another barrier.
kernel @realloc_unobserved {
  grid = [1] ["x"]
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "first": barrier<[], arrivals=1>)
      barrier.arrive %1
      barrier.wait %1
      barrier.arrive %1
      barrier.wait %1
      control.yield
    }
    scope.run_scoped {collective_axes = []} {
      (%2 "second": barrier<[], arrivals=1>)
      barrier.arrive_and_wait %2
      control.yield
    }
    control.yield
  }
}
