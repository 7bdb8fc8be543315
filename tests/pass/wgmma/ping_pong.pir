pir 1

// Two products in flight on one accumulator; the stage of the first is loaded again only once it is
// complete.
kernel @ping_pong {
  grid = [1] ["x"]
  input %0 "a": ref<gmem, f16[4,64,16]>
  input %1 "b": ref<gmem, f16[16,8]>
  output %2 "out": ref<gmem, f32[64,8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%3 "stages": ref<smem, f16[2,64,16]>, %4 "b_tile": ref<smem, f16[16,8]>, %5 "full": barrier<[2], arrivals=1>, %6 "b_full": barrier<[], arrivals=1>)
      copy.gmem_to_smem %1, %4, %6 {collective_axes = [], oob_mode = "zeros"}
      barrier.wait %6
      scope.run_scoped {collective_axes = []} {
        (%7 "acc": ref<regs, f32[64,8]>)
        %10 = control.scan i32(0) {length = 4, num_carry = 1} {
          (%11: i32)
          %12 = arith.rem %11, i32(2) : i32
          %13 = view.index %3, %12 {sizes = [1, 64, 16], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,16]>
          %14 = view.index %5, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %15 = view.index %0, %11 {sizes = [1, 64, 16], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[64,16]>
          copy.gmem_to_smem %15, %13, %14 {collective_axes = [], oob_mode = "zeros"}
          barrier.wait %14
          wgmma.mma %7, %13, %4
          wgmma.wait {n = 1}
          %16 = arith.add %11, i32(1) : i32
          control.yield %16
        } : i32
        %17 = wgmma.accumulator_deref %7 {wait_n = 0} : f32[64,8]
        memory.store %2, %17
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
