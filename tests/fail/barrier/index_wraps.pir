pir 1

// The index leaves its dimension; the barrier that it would name exists.
kernel @index_wraps {
  grid = [1] ["x"]
  body {
    %0 = arith.add i32(0), i32(3) : i32
    scope.run_scoped {collective_axes = []} {
      (%1 "stages": barrier<[2,3], arrivals=1>)
      %2 = view.index %1, %0 {sizes = [1, 1], squeeze = [0, 1], starts = [0, ?]} : barrier<[], arrivals=1>
      barrier.arrive %2 // ERROR: barrier.index
      control.yield
    }
    control.yield
  }
}
