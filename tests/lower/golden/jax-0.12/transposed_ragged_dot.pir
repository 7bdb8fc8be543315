pir 1
#0 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 72, 1, "body")
#1 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 86, 6, "transposed_ragged_dot.<locals>.body") from #0
#2 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 127, 16, "nd_loop", "inserted by nd_loop") from #1
#3 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 177, 13, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#4 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 22, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#5 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#6 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 179, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#7 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 182, 12, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#8 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 147, 14, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#9 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 154, 22, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#10 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 155, 16, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#11 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 89, 18, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#12 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 292, 15, "planar_snake", "inserted by planar_snake") from #11
#13 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 30, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #11
#14 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 45, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #11
#15 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 28, "planar_snake", "inserted by planar_snake") from #11
#16 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 18, "planar_snake", "inserted by planar_snake") from #11
#17 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 302, 32, "planar_snake", "inserted by planar_snake") from #11
#18 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 30, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #17
#19 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 45, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #17
#20 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 326, 18, "planar_snake", "inserted by planar_snake") from #11
#21 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 327, 43, "planar_snake", "inserted by planar_snake") from #11
#22 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 327, 11, "planar_snake", "inserted by planar_snake") from #11
#23 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 328, 11, "planar_snake", "inserted by planar_snake") from #11
#24 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 98, 42, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#25 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 98, 27, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#26 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 169, 13, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#27 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 145, 18, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #26
#28 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 145, 10, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #26
#29 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 149, 21, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>._") from #28
#30 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 147, 11, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>._") from #28
#31 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 321, 15, "emit_pipeline", "inserted by emit_pipeline") from #30
#32 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 371, 12, "emit_pipeline.<locals>.pipeline", "inserted by emit_pipeline") from #30
#33 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 417, 24, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #32
#34 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 428, 5, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #32
#35 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #34
#36 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #34
#37 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #34
#38 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #34
#39 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #34
#40 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #34
#41 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #32
#42 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #32
#43 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #32
#44 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #32
#45 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 589, 41, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #32
#46 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 439, 14, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#47 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 446, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#48 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 105, 20, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#49 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 105, 12, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#50 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 109, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#51 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 110, 35, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#52 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 110, 27, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#53 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 112, 17, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#54 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 111, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#55 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 115, 25, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#56 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 115, 24, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#57 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 117, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#58 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 118, 13, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#59 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 119, 13, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #49
#60 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 121, 33, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#61 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 121, 20, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#62 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 121, 12, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#63 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 125, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#64 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 126, 34, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#65 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 126, 26, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#66 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 128, 17, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#67 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 127, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#68 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 131, 25, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#69 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 131, 24, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#70 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 133, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#71 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 134, 13, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#72 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 135, 13, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul.<locals>._") from #62
#73 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 137, 11, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.block_matmul") from #45
#74 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 502, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#75 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 503, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#76 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 29, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#77 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 52, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#78 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 13, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#79 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 512, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #45
#80 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #79
#81 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #79
#82 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #45
#83 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #45
#84 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #45
#85 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #45
#86 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 167, 16, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #26
#87 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 171, 8, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#88 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 180, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#89 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 180, 9, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#90 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 181, 9, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#91 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 185, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#92 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 186, 23, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#93 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 182, 9, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87
#94 = loc("jax/experimental/pallas/ops/gpu/transposed_ragged_dot_mgpu.py", 189, 9, "transposed_ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #87

func @_where(%0: bool, %1: i32, %2: i32) -> (i32) {
  %3 = arith.select_n %0, %2, %1 : i32
  control.yield %3
}

func @remainder(%0: i32, %1: i32) -> (i32) {
  %2 = arith.eq %1, i32(0) : bool
  %3 = control.call %2, i32(1), %1 {callee = "_where"} : i32
  %4 = arith.rem %0, %3 : i32
  %5 = arith.ne %4, i32(0) : bool
  %6 = arith.lt %4, i32(0) : bool
  %7 = arith.lt %3, i32(0) : bool
  %8 = arith.ne %6, %7 : bool
  %9 = arith.and %8, %5 : bool
  %10 = arith.add %4, %3 : i32
  %11 = arith.select_n %9, %4, %10 : i32
  control.yield %11
}

kernel @body {
  grid = [4] ["sm"]
  attributes = {arch = "sm_90a"}
  input %0 "group_sizes_gmem": ref<gmem, i32[3]>
  input %1 "group_starts_gmem": ref<gmem, i32[3]>
  input %2 "group_ends_gmem": ref<gmem, i32[3]>
  input %3 "group_num_blocks_gmem": ref<gmem, i32[3]>
  input %4 "group_block_starts_gmem": ref<gmem, i32[3]>
  input %5 "lhs_gmem": ref<gmem, f16[128,128]>
  input %6 "rhs_gmem": ref<gmem, f16[128,128]>
  output %7 "o_gmem": ref<gmem, f16[3,128,128]>
  body {
    scope.run_scoped {collective_axes = []} {
      %8 = thread.axis_index {axis = "sm"} : i32 #2
      %9 = arith.div i32(12), i32(4) : i32 #3
      %10 = control.call i32(12), i32(4) {callee = "remainder"} : i32 #4
      %11 = arith.lt %8, %10 : bool #5
      %12 = arith.convert %11 : i32 #6
      %13 = arith.add %9, %12 : i32 #3
      %14, %15 = control.while i32(0), %13 {
        (%16: i32, %17: i32)
        %18 = arith.lt %16, %17 : bool #7
        control.yield %18 #7
      } {
        (%19: i32, %20: i32)
        %21 = arith.add %19, i32(1) : i32 #7
        %22 = arith.mul %19, i32(4) : i32 #8
        %23 = arith.add %22, %8 : i32 #8
        %24 = arith.rem %23, i32(4) : i32 #9
        %25 = arith.div %23, i32(4) : i32 #10
        %26 = arith.rem %25, i32(3) : i32 #9
        %27 = arith.div %25, i32(3) : i32 #10
        %28 = arith.mul i32(2), i32(2) : i32 #12
        %29 = arith.div i32(2), i32(2) : i32 #13
        %30 = arith.rem i32(2), i32(2) : i32 #14
        %31 = arith.mul %29, %28 : i32 #15
        %32 = arith.lt %24, %31 : bool #16
        %33 = arith.div %24, %28 : i32 #13
        %34 = arith.rem %24, %28 : i32 #14
        %35 = arith.convert %32 : i32 #17
        %36, %37 = control.cond %35 {
          %38 = arith.div %34, %30 : i32 #18
          %39 = arith.rem %34, %30 : i32 #19
          control.yield %38, %39 #17
        } {
          %40 = arith.div %34, i32(2) : i32 #18
          %41 = arith.rem %34, i32(2) : i32 #19
          control.yield %40, %41 #17
        } : i32, i32 #17
        %42 = arith.rem %33, i32(2) : i32 #20
        %43 = arith.eq %42, i32(0) : bool #20
        %44 = arith.sub i32(2), i32(1) : i32 #21
        %45 = arith.sub %44, %36 : i32 #21
        %46 = arith.select_n %43, %45, %36 : i32 #22
        %47 = arith.mul %33, i32(2) : i32 #23
        %48 = arith.add %47, %37 : i32 #23
        %49 = view.index %4, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #24
        %50 = memory.load %49 : i32 #24
        %51 = value.multiple_of %50 {values = [64]} : i32 #25
        %52 = scope.run_scoped {collective_axes = []} {
          (%53 "acc_ref": ref<regs, f32[64,64]>)
          %54 = view.index %0, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #27
          %55 = memory.load %54 : i32 #27
          %56 = arith.gt %55, i32(0) : bool #27
          %57 = arith.convert %56 : i32 #28
          control.cond %57 {
            control.yield #28
          } {
            %58 = view.index %3, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #29
            %59 = memory.load %58 : i32 #29
            %60 = arith.mul i32(1), %59 : i32 #31
            scope.run_scoped {collective_axes = []} {
              (%61 "barrier_ref": barrier<[2], arrivals=2>, %62 "in_smem_refs[0]": ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8, 64)>, %63 "in_smem_refs[1]": ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8, 64)>)
              %64 = arith.min i32(2), %60 : i32 #33
              %65, %66, %67 = control.while i32(0), %64, i32(0) {
                (%68: i32, %69: i32, %70: i32)
                %71 = arith.lt %68, %69 : bool #34
                control.yield %71 #34
              } {
                (%72: i32, %73: i32, %74: i32)
                %75 = arith.add %72, i32(1) : i32 #34
                %76 = arith.mul %74, i32(64) : i32 #35
                %77 = arith.mul %46, i32(64) : i32 #35
                %78 = view.index %5, %51 {sizes = [128, 128], starts = [?, 0]} : ref<gmem, f16[128,128]> #36
                %79 = view.index %78, %76, %77 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #36
                %80 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #36
                %81 = view.untile %80 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #36
                %82 = view.index %81, %72 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #36
                %83 = view.index %61, %72 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #36
                copy.gmem_to_smem %79, %82, %83 {collective_axes = [], oob_mode = "zeros"} #36
                %84 = arith.mul %74, i32(64) : i32 #35
                %85 = arith.mul %48, i32(64) : i32 #35
                %86 = view.index %6, %51 {sizes = [128, 128], starts = [?, 0]} : ref<gmem, f16[128,128]> #36
                %87 = view.index %86, %84, %85 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #36
                %88 = view.unswizzle %63 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #36
                %89 = view.untile %88 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #36
                %90 = view.index %89, %72 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #36
                %91 = view.index %61, %72 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #36
                copy.gmem_to_smem %87, %90, %91 {collective_axes = [], oob_mode = "zeros"} #36
                %92 = arith.add %74, i32(1) : i32 #37
                %93 = arith.select_n bool(true), %74, %92 : i32 #38
                %94 = arith.eq %93, %59 : bool #39
                %95 = arith.select_n %94, %93, i32(0) : i32 #40
                control.yield %75, %73, %95 #34
              } : i32, i32, i32 #34
              %96 = arith.add i32(0), i32(1) : i32 #41
              %97 = arith.select_n bool(true), i32(0), %96 : i32 #42
              %98 = arith.eq %97, %59 : bool #43
              %99 = arith.select_n %98, %97, i32(0) : i32 #44
              %100, %101, %102, %103 = control.while i32(0), %60, i32(0), %99 {
                (%104: i32, %105: i32, %106: i32, %107: i32)
                %108 = arith.lt %104, %105 : bool #45
                control.yield %108 #45
              } {
                (%109: i32, %110: i32, %111: i32, %112: i32)
                %113 = arith.add %109, i32(1) : i32 #45
                %114 = arith.rem %109, i32(2) : i32 #46
                %115 = view.index %61, %114 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #47
                barrier.wait %115 #47
                %116 = arith.eq %111, i32(0) : bool #48
                %117 = arith.convert %116 : i32 #49
                control.cond %117 {
                  control.yield #49
                } {
                  %118 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #50
                  %119 = view.untile %118 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #50
                  %120 = view.index %119, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #50
                  %121 = memory.load %120 : f16[64,64] #50
                  %122 = view.index %1, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #51
                  %123 = memory.load %122 : i32 #51
                  %124 = arith.rem %123, i32(64) : i32 #52
                  %125 = shape.iota {dimension = 0} : i32[64,64] #53
                  %126 = value.layout_cast %125 {layout = "WGMMA"} : i32[64,64] #54
                  %127 = shape.broadcast_in_dim %124 {dimensions = []} : i32[64,64] #55
                  %128 = arith.ge %126, %127 : bool[64,64] #55
                  %129 = arith.convert %128 : f16[64,64] #56
                  %130 = arith.mul %121, %129 : f16[64,64] #57
                  %131 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #58
                  %132 = view.untile %131 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #58
                  %133 = view.index %132, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #58
                  memory.store %133, %130 #58
                  fence.commit_smem #59
                  control.yield #49
                } #49
                %134 = view.index %3, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #60
                %135 = memory.load %134 : i32 #60
                %136 = arith.sub %135, i32(1) : i32 #60
                %137 = arith.eq %111, %136 : bool #61
                %138 = arith.convert %137 : i32 #62
                control.cond %138 {
                  control.yield #62
                } {
                  %139 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #63
                  %140 = view.untile %139 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #63
                  %141 = view.index %140, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #63
                  %142 = memory.load %141 : f16[64,64] #63
                  %143 = view.index %2, %26 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32> #64
                  %144 = memory.load %143 : i32 #64
                  %145 = arith.sub %144, i32(1) : i32 #64
                  %146 = arith.rem %145, i32(64) : i32 #65
                  %147 = shape.iota {dimension = 0} : i32[64,64] #66
                  %148 = value.layout_cast %147 {layout = "WGMMA"} : i32[64,64] #67
                  %149 = shape.broadcast_in_dim %146 {dimensions = []} : i32[64,64] #68
                  %150 = arith.le %148, %149 : bool[64,64] #68
                  %151 = arith.convert %150 : f16[64,64] #69
                  %152 = arith.mul %142, %151 : f16[64,64] #70
                  %153 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #71
                  %154 = view.untile %153 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #71
                  %155 = view.index %154, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #71
                  memory.store %155, %152 #71
                  fence.commit_smem #72
                  control.yield #62
                } #62
                %156 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #73
                %157 = view.untile %156 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #73
                %158 = view.index %157, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #73
                %159 = view.transpose %158 {permutation = [1, 0]} : ref<smem, f16[64,64]> #73
                %160 = view.unswizzle %63 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #73
                %161 = view.untile %160 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #73
                %162 = view.index %161, %114 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #73
                wgmma.mma %53, %159, %162 #73
                %163 = arith.add %109, i32(1) : i32 #74
                %164 = arith.rem %163, i32(2) : i32 #75
                %165 = arith.ge %109, i32(1) : bool #76
                %166 = arith.lt %163, %60 : bool #77
                %167 = arith.and %165, %166 : bool #78
                %168 = arith.convert %167 : i32 #79
                control.cond %168 {
                  control.yield #79
                } {
                  %169 = arith.mul %112, i32(64) : i32 #80
                  %170 = arith.mul %46, i32(64) : i32 #80
                  %171 = view.index %5, %51 {sizes = [128, 128], starts = [?, 0]} : ref<gmem, f16[128,128]> #81
                  %172 = view.index %171, %169, %170 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #81
                  %173 = view.unswizzle %62 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #81
                  %174 = view.untile %173 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #81
                  %175 = view.index %174, %164 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #81
                  %176 = view.index %61, %164 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #81
                  copy.gmem_to_smem %172, %175, %176 {collective_axes = [], oob_mode = "zeros"} #81
                  %177 = arith.mul %112, i32(64) : i32 #80
                  %178 = arith.mul %48, i32(64) : i32 #80
                  %179 = view.index %6, %51 {sizes = [128, 128], starts = [?, 0]} : ref<gmem, f16[128,128]> #81
                  %180 = view.index %179, %177, %178 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #81
                  %181 = view.unswizzle %63 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #81
                  %182 = view.untile %181 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #81
                  %183 = view.index %182, %164 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #81
                  %184 = view.index %61, %164 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #81
                  copy.gmem_to_smem %180, %183, %184 {collective_axes = [], oob_mode = "zeros"} #81
                  control.yield #79
                } #79
                %185 = arith.add %112, i32(1) : i32 #82
                %186 = arith.select_n bool(true), %112, %185 : i32 #83
                %187 = arith.eq %186, %59 : bool #84
                %188 = arith.select_n %187, %186, i32(0) : i32 #85
                %189 = arith.add %111, i32(1) : i32 #82
                %190 = arith.select_n bool(true), %111, %189 : i32 #83
                %191 = arith.eq %190, %59 : bool #84
                %192 = arith.select_n %191, %190, i32(0) : i32 #85
                control.yield %113, %110, %192, %188 #45
              } : i32, i32, i32, i32 #45
              control.yield #32
            } #32
            control.yield #28
          } #28
          %193 = wgmma.accumulator_deref %53 {wait_n = 0} : f32[64,64] #86
          control.yield %193 #26
        } : f32[64,64] #26
        scope.run_scoped {collective_axes = []} {
          (%194 "o_smem": ref<smem, f16[8,1,8,64], unswizzle(128), untile(8, 64)>)
          %195 = arith.convert %52 : f16[64,64] #88
          %196 = view.unswizzle %194 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #89
          %197 = view.untile %196 {tiling = [8, 64]} : ref<smem, f16[64,64]> #89
          memory.store %197, %195 #89
          fence.commit_smem #90
          %198 = arith.mul %46, i32(64) : i32 #91
          %199 = arith.mul %48, i32(64) : i32 #92
          %200 = view.unswizzle %194 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #93
          %201 = view.untile %200 {tiling = [8, 64]} : ref<smem, f16[64,64]> #93
          %202 = view.index %7, %26, %198, %199 {sizes = [1, 64, 64], squeeze = [0], starts = [?, ?, ?]} : ref<gmem, f16[64,64]> #93
          copy.smem_to_gmem %201, %202 {commit_group = true} #93
          copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #94
          control.yield #87
        } #87
        control.yield %21, %20 #7
      } : i32, i32 #7
      control.yield #0
    } #0
    control.yield
  } #0
}
