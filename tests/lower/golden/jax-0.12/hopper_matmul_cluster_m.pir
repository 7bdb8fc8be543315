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
#27 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 167, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#28 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 170, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#29 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 171, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#30 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 177, 28, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#31 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 223, 7, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#32 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1214, 14, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #31
#33 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1216, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #31
#34 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1215, 5, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #31
#35 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1125, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #34
#36 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1169, 17, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #34
#37 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #36
#38 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #36
#39 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #36
#40 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #36
#41 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #36
#42 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #36
#43 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1198, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #34
#44 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1175, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #43
#45 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1184, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #43
#46 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #43
#47 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #43
#48 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #43
#49 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #43
#50 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #43
#51 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #43
#52 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1204, 10, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce", "inserted by emit_pipeline_warp_specialized") from #34
#53 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1210, 27, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #52
#54 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1212, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #52
#55 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 967, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block", "inserted by emit_pipeline_warp_specialized") from #34
#56 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 180, 10, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context") from #34
#57 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 184, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#58 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1088, 47, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.pipeline_callback", "inserted by emit_pipeline_warp_specialized") from #57
#59 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 993, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#60 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 994, 33, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#61 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 994, 25, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#62 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 998, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#63 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 216, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #58
#64 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 220, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #58
#65 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1041, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#66 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1066, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #58
#67 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #58
#68 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #58
#69 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #58
#70 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #58
#71 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 185, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#72 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 186, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#73 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 192, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#74 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 194, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#75 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 207, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#76 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 208, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #56
#77 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 229, 3, "kernel") from #0

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
  grid = [2] ["cluster_grid"]
  cluster = [2] ["cluster"]
  threads = 3 "wg"
  attributes = {arch = "sm_90a"}
  input %0 "a_gmem": ref<gmem, f16[128,128]>
  input %1 "b_gmem": ref<gmem, f16[128,256]>
  output %2 "out_gmem": ref<gmem, f16[128,256]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      scope.run_scoped {collective_axes = ["wg"]} {
        (%3 "out_smem": ref<smem, f16[2,1,8,1,8,64], unswizzle(128), untile(8, 64)>, %4 "pipeline_allocs['flat_consumed_barrier_refs'][0]": barrier<[2], arrivals=2, cluster=["cluster"]>, %5 "pipeline_allocs['flat_in_smem_refs'][0]": ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8, 64)>, %6 "pipeline_allocs['flat_in_smem_refs'][1]": ref<smem, f16[2,8,2,8,64], unswizzle(128), untile(8, 64)>, %7 "pipeline_allocs['flat_produced_barrier_refs'][0]": barrier<[2], arrivals=2>)
        %8 = thread.axis_index {axis = "wg"} : i32 #2
        %9 = thread.axis_index {axis = "cluster"} : i32 #3
        %10 = thread.axis_index {axis = "cluster_grid"} : i32 #5
        %11 = arith.div i32(2), i32(2) : i32 #6
        %12 = control.call i32(2), i32(2) {callee = "remainder"} : i32 #7
        %13 = arith.lt %10, %12 : bool #8
        %14 = arith.convert %13 : i32 #9
        %15 = arith.add %11, %14 : i32 #6
        %16, %17 = control.while i32(0), %15 {
          (%18: i32, %19: i32)
          %20 = arith.lt %18, %19 : bool #10
          control.yield %20 #10
        } {
          (%21: i32, %22: i32)
          %23 = arith.add %21, i32(1) : i32 #10
          %24 = arith.mul %21, i32(2) : i32 #11
          %25 = arith.add %24, %10 : i32 #11
          %26 = arith.rem %25, i32(2) : i32 #12
          %27 = arith.div %25, i32(2) : i32 #13
          %28 = arith.mul i32(1), i32(1) : i32 #15
          %29 = arith.div i32(2), i32(1) : i32 #16
          %30 = arith.rem i32(2), i32(1) : i32 #17
          %31 = arith.mul %29, %28 : i32 #18
          %32 = arith.lt %26, %31 : bool #19
          %33 = arith.div %26, %28 : i32 #16
          %34 = arith.rem %26, %28 : i32 #17
          %35 = arith.convert %32 : i32 #20
          %36, %37 = control.cond %35 {
            %38 = arith.div %34, %30 : i32 #21
            %39 = arith.rem %34, %30 : i32 #22
            control.yield %38, %39 #20
          } {
            %40 = arith.div %34, i32(1) : i32 #21
            %41 = arith.rem %34, i32(1) : i32 #22
            control.yield %40, %41 #20
          } : i32, i32 #20
          %42 = arith.rem %33, i32(2) : i32 #23
          %43 = arith.eq %42, i32(0) : bool #23
          %44 = arith.sub i32(1), i32(1) : i32 #24
          %45 = arith.sub %44, %36 : i32 #24
          %46 = arith.select_n %43, %45, %36 : i32 #25
          %47 = arith.mul %33, i32(1) : i32 #26
          %48 = arith.add %47, %37 : i32 #26
          %49 = arith.mul %46, i32(2) : i32 #27
          %50 = arith.add %49, %9 : i32 #27
          %51 = arith.mul %50, i32(64) : i32 #28
          %52 = arith.mul %48, i32(128) : i32 #29
          %53 = arith.mul %8, i32(64) : i32 #30
          %54 = thread.axis_index {axis = "wg"} : i32 #32
          %55 = arith.ne %54, i32(2) : bool #33
          %56 = arith.convert %55 : i32 #34
          control.cond %56 {
            thread.set_max_registers {action = "decrease", n = 40} #35
            %57, %58 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
              (%59: i32, %60: i32)
              %61 = arith.add %59, i32(1) : i32 #36
              %62 = arith.mul %60, i32(64) : i32 #37
              %63 = view.index %0, %51 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #38
              %64 = view.index %63, %62 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #38
              %65 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #38
              %66 = view.untile %65 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #38
              %67 = view.index %66, %59 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #38
              %68 = view.index %7, %59 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #38
              copy.gmem_to_smem %64, %67, %68 {collective_axes = [], oob_mode = "zeros"} #38
              %69 = arith.mul %60, i32(64) : i32 #37
              %70 = view.index %1, %52 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #38
              %71 = view.index %70, %69 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #38
              %72 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #38
              %73 = view.untile %72 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #38
              %74 = view.index %73, %59 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #38
              %75 = view.index %7, %59 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #38
              copy.gmem_to_smem %71, %74, %75 {collective_axes = ["cluster"], oob_mode = "zeros"} #38
              %76 = arith.add %60, i32(1) : i32 #39
              %77 = arith.select_n bool(true), %60, %76 : i32 #40
              %78 = arith.eq %77, i32(2) : bool #41
              %79 = arith.select_n %78, %77, i32(0) : i32 #42
              control.yield %61, %79 #36
            } : i32, i32 #36
            %80, %81 = control.scan i32(0), %58 {length = 0, num_carry = 2, reverse = false} {
              (%82: i32, %83: i32)
              %84 = arith.add %82, i32(1) : i32 #43
              %85 = arith.rem %82, i32(2) : i32 #44
              %86 = view.index %4, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2, cluster=["cluster"]> #45
              barrier.wait %86 #45
              %87 = arith.mul %83, i32(64) : i32 #46
              %88 = view.index %0, %51 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #47
              %89 = view.index %88, %87 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #47
              %90 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #47
              %91 = view.untile %90 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #47
              %92 = view.index %91, %85 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #47
              %93 = view.index %7, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #47
              copy.gmem_to_smem %89, %92, %93 {collective_axes = [], oob_mode = "zeros"} #47
              %94 = arith.mul %83, i32(64) : i32 #46
              %95 = view.index %1, %52 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #47
              %96 = view.index %95, %94 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #47
              %97 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #47
              %98 = view.untile %97 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #47
              %99 = view.index %98, %85 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #47
              %100 = view.index %7, %85 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #47
              copy.gmem_to_smem %96, %99, %100 {collective_axes = ["cluster"], oob_mode = "zeros"} #47
              %101 = arith.add %83, i32(1) : i32 #48
              %102 = arith.select_n bool(true), %83, %101 : i32 #49
              %103 = arith.eq %102, i32(2) : bool #50
              %104 = arith.select_n %103, %102, i32(0) : i32 #51
              control.yield %84, %104 #43
            } : i32, i32 #43
            %105 = control.scan i32(0) {length = 2, num_carry = 1, reverse = false} {
              (%106: i32)
              %107 = arith.add %106, i32(1) : i32 #52
              %108 = arith.mul %106, i32(1) : i32 #52
              %109 = arith.add i32(0), %108 : i32 #52
              %110 = arith.rem %109, i32(2) : i32 #53
              %111 = view.index %4, %110 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2, cluster=["cluster"]> #54
              barrier.wait %111 #54
              control.yield %107 #52
            } : i32 #52
            control.yield #34
          } {
            thread.set_max_registers {action = "increase", n = 232} #55
            scope.run_scoped {collective_axes = []} {
              (%112 "acc_ref": ref<regs, f32[64,64]>)
              %113, %114 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
                (%115: i32, %116: i32)
                %117 = arith.add %115, i32(1) : i32 #58
                %118 = arith.rem %115, i32(2) : i32 #59
                %119 = arith.sub %115, i32(0) : i32 #60
                %120 = arith.rem %119, i32(2) : i32 #61
                %121 = view.index %7, %118 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #62
                barrier.wait %121 #62
                %122 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #63
                %123 = view.untile %122 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #63
                %124 = view.index %123, %118 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #63
                %125 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #63
                %126 = view.untile %125 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #63
                %127 = view.index %126, %118 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #63
                %128 = view.index %127, %53 {sizes = [64, 64], starts = [0, ?]} : ref<smem, f16[64,64]> #63
                wgmma.mma %112, %124, %128 #63
                wgmma.wait {n = 0} #64
                %129 = view.index %4, %120 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2, cluster=["cluster"]> #65
                barrier.arrive %129 #65
                copy.commit_group #66
                %130 = arith.add %116, i32(1) : i32 #67
                %131 = arith.select_n bool(true), %116, %130 : i32 #68
                %132 = arith.eq %131, i32(2) : bool #69
                %133 = arith.select_n %132, %131, i32(0) : i32 #70
                control.yield %117, %133 #58
              } : i32, i32 #58
              %134 = wgmma.accumulator_deref %112 {wait_n = 0} : f32[64,64] #71
              %135 = arith.convert %134 : f16[64,64] #71
              copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #72
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #73
              %136 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,1,8,1,8,64]> #74
              %137 = view.untile %136 {tiling = [8, 64]} : ref<smem, f16[2,1,64,64]> #74
              %138 = view.index %137, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #74
              memory.store %138, %135 #74
              fence.commit_smem #75
              %139 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,1,8,1,8,64]> #76
              %140 = view.untile %139 {tiling = [8, 64]} : ref<smem, f16[2,1,64,64]> #76
              %141 = view.index %140, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #76
              %142 = view.index %2, %51, %52 {sizes = [64, 128], starts = [?, ?]} : ref<gmem, f16[64,128]> #76
              %143 = view.index %142, %53 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #76
              copy.smem_to_gmem %141, %143 {commit_group = true} #76
              control.yield #56
            } #56
            control.yield #34
          } #34
          control.yield %23, %22 #10
        } : i32, i32 #10
        control.yield #1
      } #1
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #77
      control.yield #0
    } #0
    control.yield
  } #0
}
