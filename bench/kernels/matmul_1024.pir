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
#15 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 288, 37, "planar_snake", "inserted by planar_snake") from #14
#16 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 288, 20, "planar_snake", "inserted by planar_snake") from #14
#17 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 302, 20, "planar_snake", "inserted by planar_snake") from #14
#18 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 303, 27, "planar_snake", "inserted by planar_snake") from #14
#19 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 304, 29, "planar_snake", "inserted by planar_snake") from #14
#20 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 305, 18, "planar_snake", "inserted by planar_snake") from #14
#21 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 292, 25, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#22 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 293, 33, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#23 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 293, 25, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#24 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 13, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#25 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 9, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#26 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 298, 9, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#27 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 295, 13, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #14
#28 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 309, 24, "planar_snake", "inserted by planar_snake") from #14
#29 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 309, 59, "planar_snake", "inserted by planar_snake") from #14
#30 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 306, 10, "planar_snake", "inserted by planar_snake") from #14
#31 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 170, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#32 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 171, 27, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#33 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 177, 28, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#34 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 223, 7, "kernel.<locals>._pipeline_scope.<locals>._mn_loop") from #10
#35 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1190, 14, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #34
#36 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1192, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #34
#37 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1191, 5, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline", "inserted by emit_pipeline_warp_specialized") from #34
#38 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1103, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #37
#39 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1145, 17, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #37
#40 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #39
#41 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #39
#42 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #39
#43 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #39
#44 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #39
#45 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #39
#46 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1174, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block", "inserted by emit_pipeline_warp_specialized") from #37
#47 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1151, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #46
#48 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1160, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>.memory_loop_body", "inserted by emit_pipeline_warp_specialized") from #46
#49 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline_warp_specialized") from #46
#50 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline_warp_specialized") from #46
#51 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #46
#52 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #46
#53 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #46
#54 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #46
#55 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1180, 10, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce", "inserted by emit_pipeline_warp_specialized") from #37
#56 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1186, 27, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #55
#57 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1188, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.memory_block.<locals>._quiesce.<locals>._epi_step", "inserted by emit_pipeline_warp_specialized") from #55
#58 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 945, 7, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block", "inserted by emit_pipeline_warp_specialized") from #37
#59 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 180, 10, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context") from #37
#60 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 184, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#61 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1066, 47, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.pipeline_callback", "inserted by emit_pipeline_warp_specialized") from #60
#62 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 971, 16, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#63 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 972, 33, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#64 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 972, 25, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#65 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 976, 11, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#66 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 216, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #61
#67 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 220, 9, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.mma_body") from #61
#68 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1019, 13, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#69 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 1044, 9, "emit_pipeline_warp_specialized.<locals>.scoped_pipeline.<locals>.compute_block.<locals>.compute_loop_body", "inserted by emit_pipeline_warp_specialized") from #61
#70 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #61
#71 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #61
#72 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #61
#73 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline_warp_specialized") from #61
#74 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 185, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#75 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 186, 11, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#76 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 192, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#77 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 194, 42, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#78 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 194, 17, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#79 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 207, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#80 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 208, 15, "kernel.<locals>._pipeline_scope.<locals>._mn_loop.<locals>.compute_context.<locals>._acc_scope") from #59
#81 = loc("jax/experimental/pallas/ops/gpu/hopper_matmul_mgpu.py", 229, 3, "kernel") from #0

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

func @floor_divide(%0: i32, %1: i32) -> (i32) {
  %2 = arith.div %0, %1 : i32
  %3 = arith.sign %0 : i32
  %4 = arith.sign %1 : i32
  %5 = arith.ne %3, %4 : bool
  %6 = arith.rem %0, %1 : i32
  %7 = arith.ne %6, i32(0) : bool
  %8 = arith.and %5, %7 : bool
  %9 = arith.sub %2, i32(1) : i32
  %10 = control.call %8, %9, %2 {callee = "_where"} : i32
  control.yield %10
}

kernel @kernel {
  grid = [4] ["cluster_grid"]
  cluster = [1] ["cluster"]
  threads = 3 "wg"
  attributes = {arch = "sm_90a"}
  input %0 "a_gmem": ref<gmem, f16[1024,1024]>
  input %1 "b_gmem": ref<gmem, f16[1024,1024]>
  output %2 "out_gmem": ref<gmem, f16[1024,1024]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      scope.run_scoped {collective_axes = ["wg"]} {
        (%3 "out_smem": ref<smem, f16[2,2,8,1,8,64], unswizzle(128), untile(8, 64)>, %4 "pipeline_allocs['flat_consumed_barrier_refs'][0]": barrier<[4], arrivals=2>, %5 "pipeline_allocs['flat_in_smem_refs'][0]": ref<smem, f16[4,16,1,8,64], unswizzle(128), untile(8, 64)>, %6 "pipeline_allocs['flat_in_smem_refs'][1]": ref<smem, f16[4,8,4,8,64], unswizzle(128), untile(8, 64)>, %7 "pipeline_allocs['flat_produced_barrier_refs'][0]": barrier<[4], arrivals=2>)
        %8 = thread.axis_index {axis = "wg"} : i32 #2
        %9 = thread.axis_index {axis = "cluster"} : i32 #3
        %10 = thread.axis_index {axis = "cluster_grid"} : i32 #5
        %11 = arith.div i32(32), i32(4) : i32 #6
        %12 = control.call i32(32), i32(4) {callee = "remainder"} : i32 #7
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
          %26 = arith.rem %25, i32(32) : i32 #12
          %27 = arith.div %25, i32(32) : i32 #13
          %28 = arith.mul i32(1), i32(8) : i32 #15
          %29 = arith.div %26, %28 : i32 #16
          %30 = control.call i32(4), i32(1) {callee = "floor_divide"} : i32 #17
          %31 = arith.mul %30, i32(1) : i32 #18
          %32 = arith.mul %30, i32(1) : i32 #19
          %33 = arith.mul %32, i32(8) : i32 #19
          %34 = arith.lt %26, %33 : bool #20
          %35 = arith.rem %26, i32(1) : i32 #21
          %36 = arith.div %26, i32(1) : i32 #22
          %37 = arith.rem %36, i32(8) : i32 #23
          %38 = arith.mul %29, i32(1) : i32 #24
          %39 = arith.add %38, %35 : i32 #24
          %40 = arith.rem %29, i32(2) : i32 #25
          %41 = arith.eq %40, i32(0) : bool #25
          %42 = arith.sub i32(8), i32(1) : i32 #26
          %43 = arith.sub %42, %37 : i32 #26
          %44 = arith.select_n %41, %43, %37 : i32 #27
          %45 = arith.sub %26, %33 : i32 #28
          %46 = arith.sub i32(4), %31 : i32 #29
          %47 = arith.rem %45, %46 : i32 #21
          %48 = arith.div %45, %46 : i32 #22
          %49 = arith.rem %48, i32(8) : i32 #23
          %50 = arith.mul %29, i32(1) : i32 #24
          %51 = arith.add %50, %47 : i32 #24
          %52 = arith.rem %29, i32(2) : i32 #25
          %53 = arith.eq %52, i32(0) : bool #25
          %54 = arith.sub i32(8), i32(1) : i32 #26
          %55 = arith.sub %54, %49 : i32 #26
          %56 = arith.select_n %53, %55, %49 : i32 #27
          %57 = arith.select_n %34, %56, %44 : i32 #30
          %58 = arith.select_n %34, %51, %39 : i32 #30
          %59 = arith.mul %57, i32(128) : i32 #31
          %60 = arith.mul %58, i32(256) : i32 #32
          %61 = arith.mul %8, i32(128) : i32 #33
          %62 = thread.axis_index {axis = "wg"} : i32 #35
          %63 = arith.ne %62, i32(2) : bool #36
          %64 = arith.convert %63 : i32 #37
          control.cond %64 {
            thread.set_max_registers {action = "decrease", n = 40} #38
            %65, %66 = control.scan i32(0), i32(0) {length = 4, num_carry = 2, reverse = false} {
              (%67: i32, %68: i32)
              %69 = arith.add %67, i32(1) : i32 #39
              %70 = arith.mul %68, i32(64) : i32 #40
              %71 = view.index %0, %59 {sizes = [128, 1024], starts = [?, 0]} : ref<gmem, f16[128,1024]> #41
              %72 = view.index %71, %70 {sizes = [128, 64], starts = [0, ?]} : ref<gmem, f16[128,64]> #41
              %73 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[4,16,1,8,64]> #41
              %74 = view.untile %73 {tiling = [8, 64]} : ref<smem, f16[4,128,64]> #41
              %75 = view.index %74, %67 {sizes = [1, 128, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[128,64]> #41
              %76 = view.index %7, %67 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #41
              copy.gmem_to_smem %72, %75, %76 {collective_axes = [], oob_mode = "zeros"} #41
              %77 = arith.mul %68, i32(64) : i32 #40
              %78 = view.index %1, %60 {sizes = [1024, 256], starts = [0, ?]} : ref<gmem, f16[1024,256]> #41
              %79 = view.index %78, %77 {sizes = [64, 256], starts = [?, 0]} : ref<gmem, f16[64,256]> #41
              %80 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[4,8,4,8,64]> #41
              %81 = view.untile %80 {tiling = [8, 64]} : ref<smem, f16[4,64,256]> #41
              %82 = view.index %81, %67 {sizes = [1, 64, 256], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,256]> #41
              %83 = view.index %7, %67 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #41
              copy.gmem_to_smem %79, %82, %83 {collective_axes = [], oob_mode = "zeros"} #41
              %84 = arith.add %68, i32(1) : i32 #42
              %85 = arith.select_n bool(true), %68, %84 : i32 #43
              %86 = arith.eq %85, i32(16) : bool #44
              %87 = arith.select_n %86, %85, i32(0) : i32 #45
              control.yield %69, %87 #39
            } : i32, i32 #39
            %88, %89 = control.scan i32(0), %66 {length = 12, num_carry = 2, reverse = false} {
              (%90: i32, %91: i32)
              %92 = arith.add %90, i32(1) : i32 #46
              %93 = arith.rem %90, i32(4) : i32 #47
              %94 = view.index %4, %93 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #48
              barrier.wait %94 #48
              %95 = arith.mul %91, i32(64) : i32 #49
              %96 = view.index %0, %59 {sizes = [128, 1024], starts = [?, 0]} : ref<gmem, f16[128,1024]> #50
              %97 = view.index %96, %95 {sizes = [128, 64], starts = [0, ?]} : ref<gmem, f16[128,64]> #50
              %98 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[4,16,1,8,64]> #50
              %99 = view.untile %98 {tiling = [8, 64]} : ref<smem, f16[4,128,64]> #50
              %100 = view.index %99, %93 {sizes = [1, 128, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[128,64]> #50
              %101 = view.index %7, %93 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #50
              copy.gmem_to_smem %97, %100, %101 {collective_axes = [], oob_mode = "zeros"} #50
              %102 = arith.mul %91, i32(64) : i32 #49
              %103 = view.index %1, %60 {sizes = [1024, 256], starts = [0, ?]} : ref<gmem, f16[1024,256]> #50
              %104 = view.index %103, %102 {sizes = [64, 256], starts = [?, 0]} : ref<gmem, f16[64,256]> #50
              %105 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[4,8,4,8,64]> #50
              %106 = view.untile %105 {tiling = [8, 64]} : ref<smem, f16[4,64,256]> #50
              %107 = view.index %106, %93 {sizes = [1, 64, 256], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,256]> #50
              %108 = view.index %7, %93 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #50
              copy.gmem_to_smem %104, %107, %108 {collective_axes = [], oob_mode = "zeros"} #50
              %109 = arith.add %91, i32(1) : i32 #51
              %110 = arith.select_n bool(true), %91, %109 : i32 #52
              %111 = arith.eq %110, i32(16) : bool #53
              %112 = arith.select_n %111, %110, i32(0) : i32 #54
              control.yield %92, %112 #46
            } : i32, i32 #46
            %113 = control.scan i32(0) {length = 4, num_carry = 1, reverse = false} {
              (%114: i32)
              %115 = arith.add %114, i32(1) : i32 #55
              %116 = arith.mul %114, i32(1) : i32 #55
              %117 = arith.add i32(12), %116 : i32 #55
              %118 = arith.rem %117, i32(4) : i32 #56
              %119 = view.index %4, %118 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #57
              barrier.wait %119 #57
              control.yield %115 #55
            } : i32 #55
            control.yield #37
          } {
            thread.set_max_registers {action = "increase", n = 232} #58
            scope.run_scoped {collective_axes = []} {
              (%120 "acc_ref": ref<regs, f32[128,128]>)
              %121, %122 = control.scan i32(0), i32(0) {length = 16, num_carry = 2, reverse = false} {
                (%123: i32, %124: i32)
                %125 = arith.add %123, i32(1) : i32 #61
                %126 = arith.rem %123, i32(4) : i32 #62
                %127 = arith.sub %123, i32(0) : i32 #63
                %128 = arith.rem %127, i32(4) : i32 #64
                %129 = view.index %7, %126 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #65
                barrier.wait %129 #65
                %130 = view.unswizzle %5 {swizzle = 128} : ref<smem, f16[4,16,1,8,64]> #66
                %131 = view.untile %130 {tiling = [8, 64]} : ref<smem, f16[4,128,64]> #66
                %132 = view.index %131, %126 {sizes = [1, 128, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[128,64]> #66
                %133 = view.unswizzle %6 {swizzle = 128} : ref<smem, f16[4,8,4,8,64]> #66
                %134 = view.untile %133 {tiling = [8, 64]} : ref<smem, f16[4,64,256]> #66
                %135 = view.index %134, %126 {sizes = [1, 64, 256], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,256]> #66
                %136 = view.index %135, %61 {sizes = [64, 128], starts = [0, ?]} : ref<smem, f16[64,128]> #66
                wgmma.mma %120, %132, %136 #66
                wgmma.wait {n = 0} #67
                %137 = view.index %4, %128 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #68
                barrier.arrive %137 #68
                copy.commit_group #69
                %138 = arith.add %124, i32(1) : i32 #70
                %139 = arith.select_n bool(true), %124, %138 : i32 #71
                %140 = arith.eq %139, i32(16) : bool #72
                %141 = arith.select_n %140, %139, i32(0) : i32 #73
                control.yield %125, %141 #61
              } : i32, i32 #61
              %142 = wgmma.accumulator_deref %120 {wait_n = 0} : f32[128,128] #74
              %143 = arith.convert %142 : f16[128,128] #74
              copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #75
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #76
              %144 = shape.slice %143 {limits = [64, 64], starts = [0, 0]} : f16[64,64] #77
              %145 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #78
              %146 = view.untile %145 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #78
              %147 = view.index %146, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #78
              memory.store %147, %144 #78
              fence.commit_smem #79
              %148 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #80
              %149 = view.untile %148 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #80
              %150 = view.index %149, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #80
              %151 = view.index %2, %59, %60 {sizes = [128, 256], starts = [?, ?]} : ref<gmem, f16[128,256]> #80
              %152 = view.index %151, %61 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #80
              %153 = view.index %152 {sizes = [64, 64], starts = [0, 0]} : ref<gmem, f16[64,64]> #80
              copy.smem_to_gmem %150, %153 {commit_group = true} #80
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #76
              %154 = shape.slice %143 {limits = [64, 128], starts = [0, 64]} : f16[64,64] #77
              %155 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #78
              %156 = view.untile %155 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #78
              %157 = view.index %156, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 1, 0, 0]} : ref<smem, f16[64,64]> #78
              memory.store %157, %154 #78
              fence.commit_smem #79
              %158 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #80
              %159 = view.untile %158 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #80
              %160 = view.index %159, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 1, 0, 0]} : ref<smem, f16[64,64]> #80
              %161 = view.index %2, %59, %60 {sizes = [128, 256], starts = [?, ?]} : ref<gmem, f16[128,256]> #80
              %162 = view.index %161, %61 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #80
              %163 = view.index %162 {sizes = [64, 64], starts = [0, 64]} : ref<gmem, f16[64,64]> #80
              copy.smem_to_gmem %160, %163 {commit_group = true} #80
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #76
              %164 = shape.slice %143 {limits = [128, 64], starts = [64, 0]} : f16[64,64] #77
              %165 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #78
              %166 = view.untile %165 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #78
              %167 = view.index %166, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #78
              memory.store %167, %164 #78
              fence.commit_smem #79
              %168 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #80
              %169 = view.untile %168 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #80
              %170 = view.index %169, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 0, 0, 0]} : ref<smem, f16[64,64]> #80
              %171 = view.index %2, %59, %60 {sizes = [128, 256], starts = [?, ?]} : ref<gmem, f16[128,256]> #80
              %172 = view.index %171, %61 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #80
              %173 = view.index %172 {sizes = [64, 64], starts = [64, 0]} : ref<gmem, f16[64,64]> #80
              copy.smem_to_gmem %170, %173 {commit_group = true} #80
              copy.wait_smem_to_gmem {n = 1, wait_read_only = true} #76
              %174 = shape.slice %143 {limits = [128, 128], starts = [64, 64]} : f16[64,64] #77
              %175 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #78
              %176 = view.untile %175 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #78
              %177 = view.index %176, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 1, 0, 0]} : ref<smem, f16[64,64]> #78
              memory.store %177, %174 #78
              fence.commit_smem #79
              %178 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[2,2,8,1,8,64]> #80
              %179 = view.untile %178 {tiling = [8, 64]} : ref<smem, f16[2,2,64,64]> #80
              %180 = view.index %179, %8 {sizes = [1, 1, 64, 64], squeeze = [0, 1], starts = [?, 1, 0, 0]} : ref<smem, f16[64,64]> #80
              %181 = view.index %2, %59, %60 {sizes = [128, 256], starts = [?, ?]} : ref<gmem, f16[128,256]> #80
              %182 = view.index %181, %61 {sizes = [128, 128], starts = [0, ?]} : ref<gmem, f16[128,128]> #80
              %183 = view.index %182 {sizes = [64, 64], starts = [64, 64]} : ref<gmem, f16[64,64]> #80
              copy.smem_to_gmem %180, %183 {commit_group = true} #80
              control.yield #59
            } #59
            control.yield #37
          } #37
          control.yield %23, %22 #10
        } : i32, i32 #10
        control.yield #1
      } #1
      copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #81
      control.yield #0
    } #0
    control.yield
  } #0
}
