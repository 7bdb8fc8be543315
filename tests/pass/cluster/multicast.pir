pir 1

// Each block of a pair loads half of the tile for both, twice; a ClusterBarrier frees the tile.
kernel @multicast {
  grid = [2] ["x"]
  cluster = [2] ["c"]
  input %0 "in": ref<gmem, f32[2,2,4,8]>
  output %1 "out": ref<gmem, f32[2,2,2,4,8]>
  body {
    %2 = thread.axis_index {axis = "x"} : i32
    %3 = thread.axis_index {axis = "c"} : i32
    scope.run_scoped {collective_axes = []} {
      (%4 "tile": ref<smem, f32[4,8]>, %5 "ready": barrier<[], arrivals=1>, %6 "free": barrier<[], arrivals=1, cluster=["c"]>)
      %7 = control.scan i32(0) {length = 2, num_carry = 1} {
        (%8: i32)
        %9 = view.index %0, %2, %8 {sizes = [1, 1, 4, 8], squeeze = [0, 1], starts = [?, ?, 0, 0]} : ref<gmem, f32[4,8]>
        copy.gmem_to_smem %9, %4, %5 {collective_axes = ["c"], oob_mode = "zeros"}
        barrier.wait %5
        %10 = memory.load %4 : f32[4,8]
        %11 = view.index %1, %2, %3, %8 {sizes = [1, 1, 1, 4, 8], squeeze = [0, 1, 2], starts = [?, ?, ?, 0, 0]} : ref<gmem, f32[4,8]>
        memory.store %11, %10
        barrier.arrive %6
        barrier.wait %6
        %12 = arith.add %8, i32(1) : i32
        control.yield %12
      } : i32
      control.yield
    }
    control.yield
  }
}
