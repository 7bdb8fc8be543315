pir 1

// The index is the last barrier.
kernel @index_out_of_range {
  grid = [1] ["x"]
  body {
    %0 = arith.add i32(0), i32(1) : i32
    scope.run_scoped {collective_axes = []} {
      (%1 "stages": barrier<[2], arrivals=1>)
      %2 = view.index %1, %0 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
      barrier.arrive %2
      barrier.wait %2
      control.yield
    }
    control.yield
  }
}
