pir 1

// Two source stages for copies to GMEM: a stage is written again once its copy has read it.
kernel @store_groups {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[6,32]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "stages": ref<smem, i32[2,32]>)
      %2 = control.scan i32(0) {length = 6, num_carry = 1} {
        (%3: i32)
        %4 = arith.rem %3, i32(2) : i32
        copy.wait_smem_to_gmem {n = 1, wait_read_only = true}
        %5 = view.index %1, %4 {sizes = [1, 32], squeeze = [0], starts = [?, 0]} : ref<smem, i32[32]>
        %6 = shape.broadcast_in_dim %3 {dimensions = []} : i32[32]
        memory.store %5, %6
        fence.commit_smem
        %7 = view.index %0, %3 {sizes = [1, 32], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[32]>
        copy.smem_to_gmem %5, %7 {commit_group = true}
        %8 = arith.add %3, i32(1) : i32
        control.yield %8
      } : i32
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true}
      control.yield
    }
    control.yield
  }
}
