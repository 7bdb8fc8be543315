pir 1

// A producer and a consumer over two stages of SMEM, eight tiles.
kernel @pipeline {
  grid = [1] ["x"]
  threads = 2 "wg"
  input %0 "in": ref<gmem, f32[64,8]>
  output %1 "out": ref<gmem, f32[64,8]>
  body {
    %2 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%3 "stages": ref<smem, f32[2,8,8]>, %4 "full": barrier<[2], arrivals=1>, %5 "free": barrier<[2], arrivals=1>)
      control.cond %2 {
        %10 = control.scan i32(0) {length = 8, num_carry = 1} {
          (%11: i32)
          %12 = arith.rem %11, i32(2) : i32
          %13 = arith.mul %11, i32(8) : i32
          %14 = view.index %3, %12 {sizes = [1, 8, 8], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f32[8,8]>
          %15 = view.index %4, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %16 = view.index %5, %12 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %17 = arith.ge %11, i32(2) : bool
          control.cond %17 {
            control.yield
          } {
            barrier.wait %16
            control.yield
          }
          %18 = view.index %0, %13 {sizes = [8, 8], starts = [?, 0]} : ref<gmem, f32[8,8]>
          copy.gmem_to_smem %18, %14, %15 {collective_axes = [], oob_mode = "zeros"}
          %19 = arith.add %11, i32(1) : i32
          control.yield %19
        } : i32
        control.yield
      } {
        %20 = control.scan i32(0) {length = 8, num_carry = 1} {
          (%21: i32)
          %22 = arith.rem %21, i32(2) : i32
          %23 = arith.mul %21, i32(8) : i32
          %24 = view.index %3, %22 {sizes = [1, 8, 8], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f32[8,8]>
          %25 = view.index %4, %22 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          %26 = view.index %5, %22 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
          barrier.wait %25
          %27 = memory.load %24 : f32[8,8]
          barrier.arrive %26
          %28 = arith.add %27, %27 : f32[8,8]
          %29 = view.index %1, %23 {sizes = [8, 8], starts = [?, 0]} : ref<gmem, f32[8,8]>
          memory.store %29, %28
          %30 = arith.add %21, i32(1) : i32
          control.yield %30
        } : i32
        // The last arrivals on "free" are seen by nobody: both barriers end with complete phases.
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
