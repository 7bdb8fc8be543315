pir 1
#0 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 63, 1, "kernel")
#1 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 141, 4, "kernel") from #0
#2 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 153, 14, "kernel.<locals>._pipeline_scope") from #1
#3 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 154, 15, "kernel.<locals>._pipeline_scope") from #1
#4 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 155, 6, "kernel.<locals>._pipeline_scope") from #1
#5 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 127, 16, "nd_loop", "inserted by nd_loop") from #4
#6 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 177, 13, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #4
#7 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 22, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #4
#8 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #4
#9 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 179, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #4
#10 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 182, 12, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #4
#11 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 147, 14, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #10
#12 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 154, 22, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #10
#13 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 155, 16, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #10
#14 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 158, 38, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#15 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 292, 15, "planar_snake", "inserted by planar_snake") from #14
#16 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 30, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #14
#17 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 45, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #14
#18 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 28, "planar_snake", "inserted by planar_snake") from #14
#19 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 18, "planar_snake", "inserted by planar_snake") from #14
#20 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 302, 32, "planar_snake", "inserted by planar_snake") from #14
#21 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 30, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #20
#22 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 45, "planar_snake.<locals>.<lambda>", "inserted by planar_snake") from #20
#23 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 326, 18, "planar_snake", "inserted by planar_snake") from #14
#24 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 327, 43, "planar_snake", "inserted by planar_snake") from #14
#25 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 327, 11, "planar_snake", "inserted by planar_snake") from #14
#26 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 328, 11, "planar_snake", "inserted by planar_snake") from #14
#27 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 170, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#28 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 171, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#29 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 177, 28, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#30 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 223, 7, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#31 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1214, 14, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #30
#32 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1216, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #30
#33 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1215, 5, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #30
#34 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1125, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #33
#35 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1169, 17, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #33
#36 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #35
#37 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #35
#38 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #35
#39 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #35
#40 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #35
#41 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #35
#42 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1198, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #33
#43 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1175, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #42
#44 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1184, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #42
#45 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #42
#46 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #42
#47 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #42
#48 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #42
#49 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #42
#50 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #42
#51 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1204, 10, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce", "inserted by emit_pipeline_warp_specialized") from #33
#52 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1210, 27, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #51
#53 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1212, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #51
#54 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 967, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block", "inserted by emit_pipeline_warp_specialized") from #33
#55 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 180, 10, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context") from #33
#56 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 184, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#57 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1088, 47, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.pipeline_callback", "inserted by emit_pipeline_warp_specialized") from #56
#58 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 993, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#59 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 994, 33, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#60 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 994, 25, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#61 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 998, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#62 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 216, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #57
#63 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 220, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #57
#64 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1041, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#65 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1066, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #57
#66 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #57
#67 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #57
#68 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #57
#69 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #57
#70 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 185, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#71 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 186, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#72 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 192, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#73 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 203, 34, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#74 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 198, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#75 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 205, 49, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#76 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 205, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#77 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 206, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#78 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 207, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#79 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 208, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#80 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 229, 3, "kernel") from #0

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

kernel @kernel {
  grid = [4] ["cluster_grid"]
  cluster = [1] ["cluster"]
  threads = 3 "wg"
  attributes = {arch = "sm_90a"}
  input %0 "a_gmem": ref<gmem, f16[128,128]>
  input %1 "b_gmem": ref<gmem, f16[128,256]>
  input %2 "c_gmem": ref<gmem, f32[128,256]>
  output %3 "out_gmem": ref<gmem, f32[128,256]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      scope.run_scoped {collective_axes = ["wg"]} {
        (%4 "c_barrier": barrier<[2], arrivals=1>, %5 "out_smem": ref<smem, f32[2,1,8,2,8,32], unswizzle(128), untile(8, 32)>, %6 "pipeline_allocs['flat_consumed_barrier_refs'][0]": barrier<[2], arrivals=2>, %7 "pipeline_allocs['flat_in_smem_refs'][0]": ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8, 64)>, %8 "pipeline_allocs['flat_in_smem_refs'][1]": ref<smem, f16[2,8,2,8,64], unswizzle(128), untile(8, 64)>, %9 "pipeline_allocs['flat_produced_barrier_refs'][0]": barrier<[2], arrivals=2>)
        %10 = thread.axis_index {axis = "wg"} : i32 #2
        %11 = thread.axis_index {axis = "cluster"} : i32 #3
        %12 = thread.axis_index {axis = "cluster_grid"} : i32 #5
        %13 = arith.div i32(4), i32(4) : i32 #6
        %14 = control.call i32(4), i32(4) {callee = "remainder"} : i32 #7
        %15 = arith.lt %12, %14 : bool #8
        %16 = arith.convert %15 : i32 #9
        %17 = arith.add %13, %16 : i32 #6
        %18, %19 = control.while i32(0), %17 {
          (%20: i32, %21: i32)
          %22 = arith.lt %20, %21 : bool #10
          control.yield %22 #10
        } {
          (%23: i32, %24: i32)
          %25 = arith.add %23, i32(1) : i32 #10
          %26 = arith.mul %23, i32(4) : i32 #11
          %27 = arith.add %26, %12 : i32 #11
          %28 = arith.rem %27, i32(4) : i32 #12
          %29 = arith.div %27, i32(4) : i32 #13
          %30 = arith.mul i32(1), i32(2) : i32 #15
          %31 = arith.div i32(2), i32(1) : i32 #16
          %32 = arith.rem i32(2), i32(1) : i32 #17
          %33 = arith.mul %31, %30 : i32 #18
          %34 = arith.lt %28, %33 : bool #19
          %35 = arith.div %28, %30 : i32 #16
          %36 = arith.rem %28, %30 : i32 #17
          %37 = arith.convert %34 : i32 #20
          %38, %39 = control.cond %37 {
            %40 = arith.div %36, %32 : i32 #21
            %41 = arith.rem %36, %32 : i32 #22
            control.yield %40, %41 #20
          } {
            %42 = arith.div %36, i32(1) : i32 #21
            %43 = arith.rem %36, i32(1) : i32 #22
            control.yield %42, %43 #20
          } : i32, i32 #20
          %44 = arith.rem %35, i32(2) : i32 #23
          %45 = arith.eq %44, i32(0) : bool #23
          %46 = arith.sub i32(2), i32(1) : i32 #24
          %47 = arith.sub %46, %38 : i32 #24
          %48 = arith.select_n %45, %47, %38 : i32 #25
          %49 = arith.mul %35, i32(1) : i32 #26
          %50 = arith.add %49, %39 : i32 #26
          %51 = arith.mul %48, i32(64) : i32 #27
          %52 = arith.mul %50, i32(128) : i32 #28
          %53 = arith.mul %10, i32(64) : i32 #29
          %54 = thread.axis_index {axis = "wg"} : i32 #31
          %55 = arith.ne %54, i32(2) : bool #32
          %56 = arith.convert %55 : i32 #33
          control.cond %56 {
            thread.set_max_registers {action = "decrease", n = 40} #34
            %57, %58 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
              (%59: i32, %60: i32)
              %61 = arith.add %59, i32(1) : i32 #35
              %62 = arith.mul %60, i32(64) : i32 #36
              %63 = view.index %0, %51 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #37
              %64 = view.index %63, %62 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #37
              %65 = view.unswizzle %7 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #37
              %66 = view.untile %65 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #37
              %67 = view.index %66, %59 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #37
              %68 = view.index %9, %59 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #37
              copy.gmem_to_smem %64, %67, %68 {collective_axes = [], oob_mode = "zeros"} #37
              %69 = arith.mul %60, i32(64) : i32 #36
              %70 = view.index %1, %52 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #37
              %71 = view.index %70, %69 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #37
              %72 = view.unswizzle %8 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #37
              %73 = view.untile %72 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #37
              %74 = view.index %73, %59 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #37
              %75 = view.index %9, %59 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #37
              copy.gmem_to_smem %71, %74, %75 {collective_axes = [], oob_mode = "zeros"} #37
              %76 = arith.add %60, i32(1) : i32 #38
              %77 = arith.select_n bool(true), %60, %76 : i32 #39
              %78 = arith.eq %77, i32(2) : bool #40
              %79 = arith.select_n %78, %77, i32(0) : i32 #41
              control.yield %61, %79 #35
            } : i32, i32 #35
            %80, %81 = control.scan i32(0), %58 {length = 0, num_carry = 2, reverse = false} {
              (%82: i32, %83: i32)
              %84 = arith.add %82, i32(1) : i32 #42
              %85 = arith.rem %82, i32(2) : i32 #43
              %86 = view.index %6, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #44
              barrier.wait %86 #44
              %87 = arith.mul %83, i32(64) : i32 #45
              %88 = view.index %0, %51 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #46
              %89 = view.index %88, %87 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #46
              %90 = view.unswizzle %7 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #46
              %91 = view.untile %90 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #46
              %92 = view.index %91, %85 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #46
              %93 = view.index %9, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #46
              copy.gmem_to_smem %89, %92, %93 {collective_axes = [], oob_mode = "zeros"} #46
              %94 = arith.mul %83, i32(64) : i32 #45
              %95 = view.index %1, %52 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #46
              %96 = view.index %95, %94 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #46
              %97 = view.unswizzle %8 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #46
              %98 = view.untile %97 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #46
              %99 = view.index %98, %85 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #46
              %100 = view.index %9, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #46
              copy.gmem_to_smem %96, %99, %100 {collective_axes = [], oob_mode = "zeros"} #46
              %101 = arith.add %83, i32(1) : i32 #47
              %102 = arith.select_n bool(true), %83, %101 : i32 #48
              %103 = arith.eq %102, i32(2) : bool #49
              %104 = arith.select_n %103, %102, i32(0) : i32 #50
              control.yield %84, %104 #42
            } : i32, i32 #42
            %105 = control.scan i32(0) {length = 2, num_carry = 1, reverse = false} {
              (%106: i32)
              %107 = arith.add %106, i32(1) : i32 #51
              %108 = arith.mul %106, i32(1) : i32 #51
              %109 = arith.add i32(0), %108 : i32 #51
              %110 = arith.rem %109, i32(2) : i32 #52
              %111 = view.index %6, %110 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #53
              barrier.wait %111 #53
              control.yield %107 #51
            } : i32 #51
            control.yield #33
          } {
            thread.set_max_registers {action = "increase", n = 232} #54
            scope.run_scoped {collective_axes = []} {
              (%112 "acc_ref": ref<regs, f32[64,64]>)
              %113, %114 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
                (%115: i32, %116: i32)
                %117 = arith.add %115, i32(1) : i32 #57
                %118 = arith.rem %115, i32(2) : i32 #58
                %119 = arith.sub %115, i32(0) : i32 #59
                %120 = arith.rem %119, i32(2) : i32 #60
                %121 = view.index %9, %118 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #61
                barrier.wait %121 #61
                %122 = view.unswizzle %7 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #62
                %123 = view.untile %122 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #62
                %124 = view.index %123, %118 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #62
                %125 = view.unswizzle %8 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #62
                %126 = view.untile %125 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #62
                %127 = view.index %126, %118 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #62
                %128 = view.index %127, %53 {sizes = [64, 64], starts = [0, ?]} : ref<smem, f16[64,64]> #62
                wgmma.mma %112, %124, %128 #62
                wgmma.wait {n = 0} #63
                %129 = view.index %6, %120 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #64
                barrier.arrive %129 #64
                copy.commit_group #65
                %130 = arith.add %116, i32(1) : i32 #66
                %131 = arith.select_n bool(true), %116, %130 : i32 #67
                %132 = arith.eq %131, i32(2) : bool #68
                %133 = arith.select_n %132, %131, i32(0) : i32 #69
                control.yield %117, %133 #57
              } : i32, i32 #57
              %134 = wgmma.accumulator_deref %112 {wait_n = 0} : f32[64,64] #70
              copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #71
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #72
              %135 = arith.mul %10, i32(1) : i32 #73
              %136 = arith.add %135, i32(0) : i32 #73
              %137 = view.index %2, %51, %52 {sizes = [64, 128], starts = [?, ?]} : ref<gmem, f32[64,128]> #74
              %138 = view.index %137, %53 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f32[64,64]> #74
              %139 = view.unswizzle %5 {swizzle = 128} : ref<smem, f32[2,1,8,2,8,32]> #74
              %140 = view.untile %139 {tiling = [8, 32]} : ref<smem, f32[2,1,64,64]> #74
              %141 = view.index %140, %10 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f32[64,64]> #74
              %142 = view.index %4, %136 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1> #74
              copy.gmem_to_smem %138, %141, %142 {collective_axes = [], oob_mode = "zeros"} #74
              %143 = arith.mul %10, i32(1) : i32 #75
              %144 = arith.add %143, i32(0) : i32 #75
              %145 = view.index %4, %144 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1> #76
              barrier.wait %145 #76
              %146 = view.unswizzle %5 {swizzle = 128} : ref<smem, f32[2,1,8,2,8,32]> #77
              %147 = view.untile %146 {tiling = [8, 32]} : ref<smem, f32[2,1,64,64]> #77
              %148 = view.index %147, %10 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f32[64,64]> #77
              %149 = memory.load %148 : f32[64,64] #77
              %150 = arith.add %149, %134 : f32[64,64] #77
              %151 = view.unswizzle %5 {swizzle = 128} : ref<smem, f32[2,1,8,2,8,32]> #77
              %152 = view.untile %151 {tiling = [8, 32]} : ref<smem, f32[2,1,64,64]> #77
              %153 = view.index %152, %10 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f32[64,64]> #77
              memory.store %153, %150 #77
              fence.commit_smem #78
              %154 = view.unswizzle %5 {swizzle = 128} : ref<smem, f32[2,1,8,2,8,32]> #79
              %155 = view.untile %154 {tiling = [8, 32]} : ref<smem, f32[2,1,64,64]> #79
              %156 = view.index %155, %10 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f32[64,64]> #79
              %157 = view.index %3, %51, %52 {sizes = [64, 128], starts = [?, ?]} : ref<gmem, f32[64,128]> #79
              %158 = view.index %157, %53 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f32[64,64]> #79
              copy.smem_to_gmem %156, %158 {commit_group = true} #79
              control.yield #55
            } #55
            control.yield #33
          } #33
          control.yield %25, %24 #10
        } : i32, i32 #10
        control.yield #1
      } #1
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #80
      control.yield #0
    } #0
    control.yield
  } #0
}
