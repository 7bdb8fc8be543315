pir 1

// The allocation is outside of the branch, and each thread branches inside of it.
kernel @divergent_alloc {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "out": ref<gmem, f32[2,8]>
  body {
    %1 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "both": ref<smem, f32[2,8]>)
      %3 = control.cond %1 {
        control.yield f32(1.0)
      } {
        control.yield f32(2.0)
      } : f32
      %4 = shape.broadcast_in_dim %3 {dimensions = []} : f32[8]
      %5 = view.index %2, %1 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<smem, f32[8]>
      memory.store %5, %4
      %6 = memory.load %5 : f32[8]
      %7 = view.index %0, %1 {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, f32[8]>
      memory.store %7, %6
      control.yield
    }
    control.yield
  }
}
