pir 1

// Copies that leave GMEM: zeros come in, nothing goes out.
kernel @round_trip_clipped {
  grid = [2, 2] ["y", "x"]
  input %0 "in": ref<gmem, f32[6,12]>
  output %1 "out": ref<gmem, f32[2,2,4,8]>
  output %2 "back": ref<gmem, f32[6,12]>
  body {
    %3 = thread.axis_index {axis = "y"} : i32
    %4 = thread.axis_index {axis = "x"} : i32
    %5 = arith.mul %3, i32(4) : i32
    %6 = arith.mul %4, i32(8) : i32
    scope.run_scoped {collective_axes = []} {
      (%7 "tile": ref<smem, f32[4,8]>, %8 "ready": barrier<[], arrivals=1>)
      %9 = view.index %0, %5, %6 {sizes = [4, 8], starts = [?, ?]} : ref<gmem, f32[4,8]>
      copy.gmem_to_smem %9, %7, %8 {collective_axes = [], oob_mode = "zeros"}
      barrier.wait %8
      %10 = memory.load %7 : f32[4,8]
      %11 = view.index %1, %3, %4 {sizes = [1, 1, 4, 8], squeeze = [0, 1], starts = [?, ?, 0, 0]} : ref<gmem, f32[4,8]>
      memory.store %11, %10
      %12 = view.index %2, %5, %6 {sizes = [4, 8], starts = [?, ?]} : ref<gmem, f32[4,8]>
      copy.smem_to_gmem %7, %12 {commit_group = true}
      copy.wait_smem_to_gmem {n = 0, wait_read_only = false}
      control.yield
    }
    control.yield
  }
}
