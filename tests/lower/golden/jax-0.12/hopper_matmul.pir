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
#73 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 194, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#74 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 207, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#75 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 208, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #55
#76 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 229, 3, "kernel") from #0

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
  output %2 "out_gmem": ref<gmem, f16[128,256]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      scope.run_scoped {collective_axes = ["wg"]} {
        (%3 "out_smem": ref<smem, f16[2,1,8,1,8,64], unswizzle(128), untile(8, 64)>, %4 "pipeline_allocs['flat_consumed_barrier_refs'][0]": barrier<[2], arrivals=2>, %5 "pipeline_allocs['flat_in_smem_refs'][0]": ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8, 64)>, %6 "pipeline_allocs['flat_in_smem_refs'][1]": ref<smem, f16[2,8,2,8,64], unswizzle(128), untile(8, 64)>, %7 "pipeline_allocs['flat_produced_barrier_refs'][0]": barrier<[2], arrivals=2>)
        %8 = thread.axis_index {axis = "wg"} : i32 #2
        %9 = thread.axis_index {axis = "cluster"} : i32 #3
        %10 = thread.axis_index {axis = "cluster_grid"} : i32 #5
        %11 = arith.div i32(4), i32(4) : i32 #6
        %12 = control.call i32(4), i32(4) {callee = "remainder"} : i32 #7
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
          %24 = arith.mul %21, i32(4) : i32 #11
          %25 = arith.add %24, %10 : i32 #11
          %26 = arith.rem %25, i32(4) : i32 #12
          %27 = arith.div %25, i32(4) : i32 #13
          %28 = arith.mul i32(1), i32(2) : i32 #15
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
          %44 = arith.sub i32(2), i32(1) : i32 #24
          %45 = arith.sub %44, %36 : i32 #24
          %46 = arith.select_n %43, %45, %36 : i32 #25
          %47 = arith.mul %33, i32(1) : i32 #26
          %48 = arith.add %47, %37 : i32 #26
          %49 = arith.mul %46, i32(64) : i32 #27
          %50 = arith.mul %48, i32(128) : i32 #28
          %51 = arith.mul %8, i32(64) : i32 #29
          %52 = thread.axis_index {axis = "wg"} : i32 #31
          %53 = arith.ne %52, i32(2) : bool #32
          %54 = arith.convert %53 : i32 #33
          control.cond %54 {
            thread.set_max_registers {action = "decrease", n = 40} #34
            %55, %56 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
              (%57: i32, %58: i32)
              %59 = arith.add %57, i32(1) : i32 #35
              %60 = arith.mul %58, i32(64) : i32 #36
              %61 = view.index %0, %49 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #37
              %62 = view.index %61, %60 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #37
              %63 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #37
              %64 = view.untile %63 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #37
              %65 = view.index %64, %57 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #37
              %66 = view.index %7, %57 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #37
              copy.gmem_to_smem %62, %65, %66 {collective_axes = [], oob_mode = "zeros"} #37
              %67 = arith.mul %58, i32(64) : i32 #36
              %68 = view.index %1, %50 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #37
              %69 = view.index %68, %67 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #37
              %70 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #37
              %71 = view.untile %70 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #37
              %72 = view.index %71, %57 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #37
              %73 = view.index %7, %57 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #37
              copy.gmem_to_smem %69, %72, %73 {collective_axes = [], oob_mode = "zeros"} #37
              %74 = arith.add %58, i32(1) : i32 #38
              %75 = arith.select_n bool(true), %58, %74 : i32 #39
              %76 = arith.eq %75, i32(2) : bool #40
              %77 = arith.select_n %76, %75, i32(0) : i32 #41
              control.yield %59, %77 #35
            } : i32, i32 #35
            %78, %79 = control.scan i32(0), %56 {length = 0, num_carry = 2, reverse = false} {
              (%80: i32, %81: i32)
              %82 = arith.add %80, i32(1) : i32 #42
              %83 = arith.rem %80, i32(2) : i32 #43
              %84 = view.index %4, %83 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #44
              barrier.wait %84 #44
              %85 = arith.mul %81, i32(64) : i32 #45
              %86 = view.index %0, %49 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #46
              %87 = view.index %86, %85 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #46
              %88 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #46
              %89 = view.untile %88 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #46
              %90 = view.index %89, %83 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #46
              %91 = view.index %7, %83 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #46
              copy.gmem_to_smem %87, %90, %91 {collective_axes = [], oob_mode = "zeros"} #46
              %92 = arith.mul %81, i32(64) : i32 #45
              %93 = view.index %1, %50 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #46
              %94 = view.index %93, %92 {sizes = [64, 128], starts = [?, 0]} : ref<gmem, f16[64,128]> #46
              %95 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #46
              %96 = view.untile %95 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #46
              %97 = view.index %96, %83 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #46
              %98 = view.index %7, %83 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #46
              copy.gmem_to_smem %94, %97, %98 {collective_axes = [], oob_mode = "zeros"} #46
              %99 = arith.add %81, i32(1) : i32 #47
              %100 = arith.select_n bool(true), %81, %99 : i32 #48
              %101 = arith.eq %100, i32(2) : bool #49
              %102 = arith.select_n %101, %100, i32(0) : i32 #50
              control.yield %82, %102 #42
            } : i32, i32 #42
            %103 = control.scan i32(0) {length = 2, num_carry = 1, reverse = false} {
              (%104: i32)
              %105 = arith.add %104, i32(1) : i32 #51
              %106 = arith.mul %104, i32(1) : i32 #51
              %107 = arith.add i32(0), %106 : i32 #51
              %108 = arith.rem %107, i32(2) : i32 #52
              %109 = view.index %4, %108 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #53
              barrier.wait %109 #53
              control.yield %105 #51
            } : i32 #51
            control.yield #33
          } {
            thread.set_max_registers {action = "increase", n = 232} #54
            scope.run_scoped {collective_axes = []} {
              (%110 "acc_ref": ref<regs, f32[64,64]>)
              %111, %112 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
                (%113: i32, %114: i32)
                %115 = arith.add %113, i32(1) : i32 #57
                %116 = arith.rem %113, i32(2) : i32 #58
                %117 = arith.sub %113, i32(0) : i32 #59
                %118 = arith.rem %117, i32(2) : i32 #60
                %119 = view.index %7, %116 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #61
                barrier.wait %119 #61
                %120 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[2,8,1,8,64]> #62
                %121 = view.untile %120 {tiling = [8, 64]} : ref<smem, f16[2,64,64]> #62
                %122 = view.index %121, %116 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #62
                %123 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[2,8,2,8,64]> #62
                %124 = view.untile %123 {tiling = [8, 64]} : ref<smem, f16[2,64,128]> #62
                %125 = view.index %124, %116 {sizes = [1, 64, 128], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,128]> #62
                %126 = view.index %125, %51 {sizes = [64, 64], starts = [0, ?]} : ref<smem, f16[64,64]> #62
                wgmma.mma %110, %122, %126 #62
                wgmma.wait {n = 0} #63
                %127 = view.index %4, %118 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #64
                barrier.arrive %127 #64
                copy.commit_group #65
                %128 = arith.add %114, i32(1) : i32 #66
                %129 = arith.select_n bool(true), %114, %128 : i32 #67
                %130 = arith.eq %129, i32(2) : bool #68
                %131 = arith.select_n %130, %129, i32(0) : i32 #69
                control.yield %115, %131 #57
              } : i32, i32 #57
              %132 = wgmma.accumulator_deref %110 {wait_n = 0} : f32[64,64] #70
              %133 = arith.convert %132 : f16[64,64] #70
              copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #71
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #72
              %134 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,1,8,1,8,64]> #73
              %135 = view.untile %134 {tiling = [8, 64]} : ref<smem, f16[2,1,64,64]> #73
              %136 = view.index %135, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #73
              memory.store %136, %133 #73
              fence.commit_smem #74
              %137 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,1,8,1,8,64]> #75
              %138 = view.untile %137 {tiling = [8, 64]} : ref<smem, f16[2,1,64,64]> #75
              %139 = view.index %138, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #75
              %140 = view.index %2, %49, %50 {sizes = [64, 128], starts = [?, ?]} : ref<gmem, f16[64,128]> #75
              %141 = view.index %140, %51 {sizes = [64, 64], starts = [0, ?]} : ref<gmem, f16[64,64]> #75
              copy.smem_to_gmem %139, %141 {commit_group = true} #75
              control.yield #55
            } #55
            control.yield #33
          } #33
          control.yield %23, %22 #10
        } : i32, i32 #10
        control.yield #1
      } #1
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #76
      control.yield #0
    } #0
    control.yield
  } #0
}
