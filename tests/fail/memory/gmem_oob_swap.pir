pir 1

// The slice leaves the array by one row.
kernel @gmem_oob_swap {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[8,2]>
  body {
    %1 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8,2]
    memory.store %0, %1
    %2 = arith.add i32(0), i32(5) : i32
    %4 = shape.broadcast_in_dim f32(2.0) {dimensions = []} : f32[4,2]
    scope.run_scoped {collective_axes = []} {
      (%5 "scratch": ref<smem, f32[8,2]>)
      memory.store %5, %1
      %3 = view.index %0, %2 {sizes = [4, 2], starts = [?, 0]} : ref<gmem, f32[4,2]>
      %6 = memory.swap %3, %4 : f32[4,2] // ERROR: gmem.oob
      control.yield
    }
    control.yield
  }
}
