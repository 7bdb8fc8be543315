pir 1
#0 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 127, 1, "body")
#1 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 132, 6, "ragged_dot.<locals>.body") from #0
#2 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 127, 16, "nd_loop", "inserted by nd_loop") from #1
#3 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 177, 13, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#4 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 22, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#5 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 180, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#6 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 179, 9, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#7 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 182, 12, "nd_loop.<locals>.decorator", "inserted by nd_loop") from #1
#8 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 147, 14, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#9 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 154, 22, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#10 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 155, 16, "nd_loop.<locals>.decorator.<locals>.wrapper", "inserted by nd_loop") from #7
#11 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 134, 16, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
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
#24 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 140, 20, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#25 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 50, 25, "GroupInfo.create") from #24
#26 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 63, 13, "GroupInfo.create") from #24
#27 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 64, 15, "GroupInfo.create") from #24
#28 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 65, 21, "GroupInfo.create") from #24
#29 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 66, 21, "GroupInfo.create") from #24
#30 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 67, 19, "GroupInfo.create") from #24
#31 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 68, 19, "GroupInfo.create") from #24
#32 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 69, 17, "GroupInfo.create") from #24
#33 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 24, "GroupInfo.create") from #24
#34 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 45, "GroupInfo.create") from #24
#35 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 23, "GroupInfo.create") from #24
#36 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 72, 41, "GroupInfo.create") from #24
#37 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 72, 15, "GroupInfo.create") from #24
#38 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 73, 15, "GroupInfo.create") from #24
#39 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 74, 21, "GroupInfo.create") from #24
#40 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 75, 19, "GroupInfo.create") from #24
#41 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 77, 19, "GroupInfo.create") from #24
#42 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 78, 20, "GroupInfo.create") from #24
#43 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 79, 41, "GroupInfo.create") from #24
#44 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 79, 18, "GroupInfo.create") from #24
#45 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 80, 26, "GroupInfo.create") from #24
#46 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 81, 19, "GroupInfo.create") from #24
#47 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 166, 13, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#48 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 143, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #47
#49 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 371, 12, "emit_pipeline.<locals>.pipeline", "inserted by emit_pipeline") from #48
#50 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 428, 5, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #49
#51 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #50
#52 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #50
#53 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #50
#54 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #50
#55 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #50
#56 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #50
#57 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #49
#58 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #49
#59 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #49
#60 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #49
#61 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 589, 41, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #49
#62 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 439, 14, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#63 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 446, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#64 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 144, 43, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.<lambda>") from #61
#65 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 502, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#66 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 503, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#67 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 29, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#68 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 52, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#69 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 513, 13, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#70 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 512, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #61
#71 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #70
#72 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #70
#73 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #61
#74 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #61
#75 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #61
#76 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #61
#77 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 164, 16, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #47
#78 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 168, 8, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#79 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 173, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#80 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 173, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#81 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 174, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#82 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 219, 20, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#83 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 219, 12, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#84 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 223, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #83
#85 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 224, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #83
#86 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 226, 13, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #83
#87 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 228, 25, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#88 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 228, 11, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78
#89 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 229, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #78

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
  grid = [132] ["sm"]
  attributes = {arch = "sm_90a"}
  input %0 "rows_per_expert_gmem": ref<gmem, i32[3]>
  input %1 "lhs_gmem": ref<gmem, f16[128,128]>
  input %2 "rhs_gmem": ref<gmem, f16[3,128,128]>
  output %3 "o_gmem": ref<gmem, f16[128,128]>
  body {
    scope.run_scoped {collective_axes = []} {
      %4 = thread.axis_index {axis = "sm"} : i32 #2
      %5 = arith.div i32(8), i32(132) : i32 #3
      %6 = control.call i32(8), i32(132) {callee = "remainder"} : i32 #4
      %7 = arith.lt %4, %6 : bool #5
      %8 = arith.convert %7 : i32 #6
      %9 = arith.add %5, %8 : i32 #3
      %10, %11 = control.while i32(0), %9 {
        (%12: i32, %13: i32)
        %14 = arith.lt %12, %13 : bool #7
        control.yield %14 #7
      } {
        (%15: i32, %16: i32)
        %17 = arith.add %15, i32(1) : i32 #7
        %18 = arith.mul %15, i32(132) : i32 #8
        %19 = arith.add %18, %4 : i32 #8
        %20 = arith.rem %19, i32(8) : i32 #9
        %21 = arith.div %19, i32(8) : i32 #10
        %22 = arith.mul i32(2), i32(4) : i32 #12
        %23 = arith.div i32(2), i32(2) : i32 #13
        %24 = arith.rem i32(2), i32(2) : i32 #14
        %25 = arith.mul %23, %22 : i32 #15
        %26 = arith.lt %20, %25 : bool #16
        %27 = arith.div %20, %22 : i32 #13
        %28 = arith.rem %20, %22 : i32 #14
        %29 = arith.convert %26 : i32 #17
        %30, %31 = control.cond %29 {
          %32 = arith.div %28, %24 : i32 #18
          %33 = arith.rem %28, %24 : i32 #19
          control.yield %32, %33 #17
        } {
          %34 = arith.div %28, i32(2) : i32 #18
          %35 = arith.rem %28, i32(2) : i32 #19
          control.yield %34, %35 #17
        } : i32, i32 #17
        %36 = arith.rem %27, i32(2) : i32 #20
        %37 = arith.eq %36, i32(0) : bool #20
        %38 = arith.sub i32(4), i32(1) : i32 #21
        %39 = arith.sub %38, %30 : i32 #21
        %40 = arith.select_n %37, %39, %30 : i32 #22
        %41 = arith.mul %27, i32(2) : i32 #23
        %42 = arith.add %41, %31 : i32 #23
        %43 = view.index %0 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32> #25
        %44 = memory.load %43 : i32 #25
        %45 = view.index %0 {sizes = [1], squeeze = [0], starts = [1]} : ref<gmem, i32> #25
        %46 = memory.load %45 : i32 #25
        %47 = view.index %0 {sizes = [1], squeeze = [0], starts = [2]} : ref<gmem, i32> #25
        %48 = memory.load %47 : i32 #25
        %49 = arith.add i32(0), %44 : i32 #26
        %50 = arith.sub %49, i32(1) : i32 #27
        %51 = arith.div i32(0), i32(64) : i32 #28
        %52 = arith.div %50, i32(64) : i32 #29
        %53 = arith.add %52, i32(1) : i32 #30
        %54 = arith.add %51, i32(0) : i32 #31
        %55 = arith.add %53, i32(0) : i32 #32
        %56 = arith.le %54, %40 : bool #33
        %57 = arith.lt %40, %55 : bool #34
        %58 = arith.and %56, %57 : bool #35
        %59 = arith.sub %40, %54 : i32 #36
        %60 = arith.add %59, %51 : i32 #36
        %61 = arith.select_n %58, i32(0), %60 : i32 #37
        %62 = arith.select_n %58, i32(0), i32(0) : i32 #38
        %63 = arith.select_n %58, i32(0), i32(0) : i32 #39
        %64 = arith.select_n %58, i32(0), %49 : i32 #40
        %65 = arith.add %49, %46 : i32 #26
        %66 = arith.sub %65, i32(1) : i32 #27
        %67 = arith.div %49, i32(64) : i32 #28
        %68 = arith.div %66, i32(64) : i32 #29
        %69 = arith.add %68, i32(1) : i32 #30
        %70 = arith.add %67, i32(1) : i32 #31
        %71 = arith.add %69, i32(1) : i32 #32
        %72 = arith.le %70, %40 : bool #33
        %73 = arith.lt %40, %71 : bool #34
        %74 = arith.and %72, %73 : bool #35
        %75 = arith.sub %40, %70 : i32 #36
        %76 = arith.add %75, %67 : i32 #36
        %77 = arith.select_n %74, %61, %76 : i32 #37
        %78 = arith.select_n %74, %62, i32(1) : i32 #38
        %79 = arith.select_n %74, %63, %49 : i32 #39
        %80 = arith.select_n %74, %64, %65 : i32 #40
        %81 = arith.add %65, %48 : i32 #26
        %82 = arith.sub %81, i32(1) : i32 #27
        %83 = arith.div %65, i32(64) : i32 #28
        %84 = arith.div %82, i32(64) : i32 #29
        %85 = arith.add %84, i32(1) : i32 #30
        %86 = arith.add %83, i32(2) : i32 #31
        %87 = arith.add %85, i32(2) : i32 #32
        %88 = arith.le %86, %40 : bool #33
        %89 = arith.lt %40, %87 : bool #34
        %90 = arith.and %88, %89 : bool #35
        %91 = arith.sub %40, %86 : i32 #36
        %92 = arith.add %91, %83 : i32 #36
        %93 = arith.select_n %90, %77, %92 : i32 #37
        %94 = arith.select_n %90, %78, i32(2) : i32 #38
        %95 = arith.select_n %90, %79, %65 : i32 #39
        %96 = arith.select_n %90, %80, %81 : i32 #40
        %97 = arith.mul %93, i32(64) : i32 #41
        %98 = arith.max %95, %97 : i32 #42
        %99 = arith.add %97, i32(64) : i32 #43
        %100 = arith.min %96, %99 : i32 #44
        %101 = arith.sub %98, %97 : i32 #45
        %102 = arith.sub %100, %98 : i32 #46
        %103 = scope.run_scoped {collective_axes = []} {
          (%104 "acc_ref": ref<regs, f32[64,64]>)
          scope.run_scoped {collective_axes = []} {
            (%105 "barrier_ref": barrier<[2], arrivals=2>, %106 "in_smem_refs[0]": ref<smem, f16[2,64,64]>, %107 "in_smem_refs[1]": ref<smem, f16[2,64,64]>)
            %108, %109 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
              (%110: i32, %111: i32)
              %112 = arith.add %110, i32(1) : i32 #50
              %113 = arith.mul %93, i32(64) : i32 #51
              %114 = arith.mul %111, i32(64) : i32 #51
              %115 = view.index %1, %113, %114 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #52
              %116 = view.index %106, %110 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #52
              %117 = view.index %105, %110 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #52
              copy.gmem_to_smem %115, %116, %117 {collective_axes = [], oob_mode = "zeros"} #52
              %118 = arith.mul %111, i32(64) : i32 #51
              %119 = arith.mul %42, i32(64) : i32 #51
              %120 = view.index %2, %94 {sizes = [1, 128, 128], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[128,128]> #52
              %121 = view.index %120, %118, %119 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #52
              %122 = view.index %107, %110 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #52
              %123 = view.index %105, %110 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #52
              copy.gmem_to_smem %121, %122, %123 {collective_axes = [], oob_mode = "zeros"} #52
              %124 = arith.add %111, i32(1) : i32 #53
              %125 = arith.select_n bool(true), %111, %124 : i32 #54
              %126 = arith.eq %125, i32(2) : bool #55
              %127 = arith.select_n %126, %125, i32(0) : i32 #56
              control.yield %112, %127 #50
            } : i32, i32 #50
            %128 = arith.add i32(0), i32(1) : i32 #57
            %129 = arith.select_n bool(true), i32(0), %128 : i32 #58
            %130 = arith.eq %129, i32(2) : bool #59
            %131 = arith.select_n %130, %129, i32(0) : i32 #60
            %132, %133, %134 = control.scan i32(0), i32(0), %131 {length = 2, num_carry = 3, reverse = false} {
              (%135: i32, %136: i32, %137: i32)
              %138 = arith.add %135, i32(1) : i32 #61
              %139 = arith.rem %135, i32(2) : i32 #62
              %140 = view.index %105, %139 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #63
              barrier.wait %140 #63
              %141 = view.index %106, %139 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #64
              %142 = view.index %107, %139 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #64
              wgmma.mma %104, %141, %142 #64
              %143 = arith.add %135, i32(1) : i32 #65
              %144 = arith.rem %143, i32(2) : i32 #66
              %145 = arith.ge %135, i32(1) : bool #67
              %146 = arith.lt %143, i32(2) : bool #68
              %147 = arith.and %145, %146 : bool #69
              %148 = arith.convert %147 : i32 #70
              control.cond %148 {
                control.yield #70
              } {
                %149 = arith.mul %93, i32(64) : i32 #71
                %150 = arith.mul %137, i32(64) : i32 #71
                %151 = view.index %1, %149, %150 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #72
                %152 = view.index %106, %144 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #72
                %153 = view.index %105, %144 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #72
                copy.gmem_to_smem %151, %152, %153 {collective_axes = [], oob_mode = "zeros"} #72
                %154 = arith.mul %137, i32(64) : i32 #71
                %155 = arith.mul %42, i32(64) : i32 #71
                %156 = view.index %2, %94 {sizes = [1, 128, 128], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[128,128]> #72
                %157 = view.index %156, %154, %155 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #72
                %158 = view.index %107, %144 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #72
                %159 = view.index %105, %144 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #72
                copy.gmem_to_smem %157, %158, %159 {collective_axes = [], oob_mode = "zeros"} #72
                control.yield #70
              } #70
              %160 = arith.add %137, i32(1) : i32 #73
              %161 = arith.select_n bool(true), %137, %160 : i32 #74
              %162 = arith.eq %161, i32(2) : bool #75
              %163 = arith.select_n %162, %161, i32(0) : i32 #76
              %164 = arith.add %136, i32(1) : i32 #73
              %165 = arith.select_n bool(true), %136, %164 : i32 #74
              %166 = arith.eq %165, i32(2) : bool #75
              %167 = arith.select_n %166, %165, i32(0) : i32 #76
              control.yield %138, %167, %163 #61
            } : i32, i32, i32 #61
            control.yield #49
          } #49
          %168 = wgmma.accumulator_deref %104 {wait_n = 0} : f32[64,64] #77
          control.yield %168 #47
        } : f32[64,64] #47
        scope.run_scoped {collective_axes = []} {
          (%169 "o_smem": ref<smem, f16[64,64]>)
          %170 = arith.convert %103 : f16[64,64] #79
          memory.store %169, %170 #80
          fence.commit_smem #81
          %171 = arith.and %102, i32(64) : i32 #82
          %172 = arith.ne %171, i32(0) : bool #82
          %173 = arith.convert %172 : i32 #83
          control.cond %173 {
            control.yield #83
          } {
            %174 = arith.add %97, %101 : i32 #84
            %175 = arith.mul %42, i32(64) : i32 #85
            %176 = view.index %169, %101 {sizes = [64, 64], starts = [?, 0]} : ref<smem, f16[64,64]> #86
            %177 = view.index %3, %174, %175 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #86
            copy.smem_to_gmem %176, %177 {commit_group = true} #86
            control.yield #83
          } #83
          %178 = arith.and %102, i32(64) : i32 #87
          %179 = arith.add %101, %178 : i32 #88
          %180 = arith.and %102, i32(32) : i32 #82
          %181 = arith.ne %180, i32(0) : bool #82
          %182 = arith.convert %181 : i32 #83
          control.cond %182 {
            control.yield #83
          } {
            %183 = arith.add %97, %179 : i32 #84
            %184 = arith.mul %42, i32(64) : i32 #85
            %185 = view.index %169, %179 {sizes = [32, 64], starts = [?, 0]} : ref<smem, f16[32,64]> #86
            %186 = view.index %3, %183, %184 {sizes = [32, 64], starts = [?, ?]} : ref<gmem, f16[32,64]> #86
            copy.smem_to_gmem %185, %186 {commit_group = true} #86
            control.yield #83
          } #83
          %187 = arith.and %102, i32(32) : i32 #87
          %188 = arith.add %179, %187 : i32 #88
          %189 = arith.and %102, i32(16) : i32 #82
          %190 = arith.ne %189, i32(0) : bool #82
          %191 = arith.convert %190 : i32 #83
          control.cond %191 {
            control.yield #83
          } {
            %192 = arith.add %97, %188 : i32 #84
            %193 = arith.mul %42, i32(64) : i32 #85
            %194 = view.index %169, %188 {sizes = [16, 64], starts = [?, 0]} : ref<smem, f16[16,64]> #86
            %195 = view.index %3, %192, %193 {sizes = [16, 64], starts = [?, ?]} : ref<gmem, f16[16,64]> #86
            copy.smem_to_gmem %194, %195 {commit_group = true} #86
            control.yield #83
          } #83
          %196 = arith.and %102, i32(16) : i32 #87
          %197 = arith.add %188, %196 : i32 #88
          %198 = arith.and %102, i32(8) : i32 #82
          %199 = arith.ne %198, i32(0) : bool #82
          %200 = arith.convert %199 : i32 #83
          control.cond %200 {
            control.yield #83
          } {
            %201 = arith.add %97, %197 : i32 #84
            %202 = arith.mul %42, i32(64) : i32 #85
            %203 = view.index %169, %197 {sizes = [8, 64], starts = [?, 0]} : ref<smem, f16[8,64]> #86
            %204 = view.index %3, %201, %202 {sizes = [8, 64], starts = [?, ?]} : ref<gmem, f16[8,64]> #86
            copy.smem_to_gmem %203, %204 {commit_group = true} #86
            control.yield #83
          } #83
          %205 = arith.and %102, i32(8) : i32 #87
          %206 = arith.add %197, %205 : i32 #88
          %207 = arith.and %102, i32(4) : i32 #82
          %208 = arith.ne %207, i32(0) : bool #82
          %209 = arith.convert %208 : i32 #83
          control.cond %209 {
            control.yield #83
          } {
            %210 = arith.add %97, %206 : i32 #84
            %211 = arith.mul %42, i32(64) : i32 #85
            %212 = view.index %169, %206 {sizes = [4, 64], starts = [?, 0]} : ref<smem, f16[4,64]> #86
            %213 = view.index %3, %210, %211 {sizes = [4, 64], starts = [?, ?]} : ref<gmem, f16[4,64]> #86
            copy.smem_to_gmem %212, %213 {commit_group = true} #86
            control.yield #83
          } #83
          %214 = arith.and %102, i32(4) : i32 #87
          %215 = arith.add %206, %214 : i32 #88
          %216 = arith.and %102, i32(2) : i32 #82
          %217 = arith.ne %216, i32(0) : bool #82
          %218 = arith.convert %217 : i32 #83
          control.cond %218 {
            control.yield #83
          } {
            %219 = arith.add %97, %215 : i32 #84
            %220 = arith.mul %42, i32(64) : i32 #85
            %221 = view.index %169, %215 {sizes = [2, 64], starts = [?, 0]} : ref<smem, f16[2,64]> #86
            %222 = view.index %3, %219, %220 {sizes = [2, 64], starts = [?, ?]} : ref<gmem, f16[2,64]> #86
            copy.smem_to_gmem %221, %222 {commit_group = true} #86
            control.yield #83
          } #83
          %223 = arith.and %102, i32(2) : i32 #87
          %224 = arith.add %215, %223 : i32 #88
          %225 = arith.and %102, i32(1) : i32 #82
          %226 = arith.ne %225, i32(0) : bool #82
          %227 = arith.convert %226 : i32 #83
          control.cond %227 {
            control.yield #83
          } {
            %228 = arith.add %97, %224 : i32 #84
            %229 = arith.mul %42, i32(64) : i32 #85
            %230 = view.index %169, %224 {sizes = [1, 64], starts = [?, 0]} : ref<smem, f16[1,64]> #86
            %231 = view.index %3, %228, %229 {sizes = [1, 64], starts = [?, ?]} : ref<gmem, f16[1,64]> #86
            copy.smem_to_gmem %230, %231 {commit_group = true} #86
            control.yield #83
          } #83
          %232 = arith.and %102, i32(1) : i32 #87
          %233 = arith.add %224, %232 : i32 #88
          copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #89
          control.yield #78
        } #78
        control.yield %17, %16 #7
      } : i32, i32 #7
      control.yield #0
    } #0
    control.yield
  } #0
}
