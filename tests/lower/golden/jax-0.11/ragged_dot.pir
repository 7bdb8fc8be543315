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
#12 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 288, 37, "planar_snake", "inserted by planar_snake") from #11
#13 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 288, 20, "planar_snake", "inserted by planar_snake") from #11
#14 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 302, 20, "planar_snake", "inserted by planar_snake") from #11
#15 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 303, 27, "planar_snake", "inserted by planar_snake") from #11
#16 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 304, 29, "planar_snake", "inserted by planar_snake") from #11
#17 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 305, 18, "planar_snake", "inserted by planar_snake") from #11
#18 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 292, 25, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#19 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 293, 33, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#20 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 293, 25, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#21 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 294, 13, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#22 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 296, 9, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#23 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 298, 9, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#24 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 295, 13, "planar_snake.<locals>.tile_coordinates", "inserted by planar_snake") from #11
#25 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 309, 24, "planar_snake", "inserted by planar_snake") from #11
#26 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 309, 59, "planar_snake", "inserted by planar_snake") from #11
#27 = loc("jax/_src/pallas/mosaic_gpu/helpers.py", 306, 10, "planar_snake", "inserted by planar_snake") from #11
#28 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 140, 20, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#29 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 50, 25, "GroupInfo.create") from #28
#30 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 63, 13, "GroupInfo.create") from #28
#31 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 64, 15, "GroupInfo.create") from #28
#32 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 65, 21, "GroupInfo.create") from #28
#33 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 66, 21, "GroupInfo.create") from #28
#34 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 67, 19, "GroupInfo.create") from #28
#35 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 68, 19, "GroupInfo.create") from #28
#36 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 69, 17, "GroupInfo.create") from #28
#37 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 24, "GroupInfo.create") from #28
#38 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 45, "GroupInfo.create") from #28
#39 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 71, 23, "GroupInfo.create") from #28
#40 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 72, 41, "GroupInfo.create") from #28
#41 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 72, 15, "GroupInfo.create") from #28
#42 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 73, 15, "GroupInfo.create") from #28
#43 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 74, 21, "GroupInfo.create") from #28
#44 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 75, 19, "GroupInfo.create") from #28
#45 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 77, 19, "GroupInfo.create") from #28
#46 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 78, 20, "GroupInfo.create") from #28
#47 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 79, 41, "GroupInfo.create") from #28
#48 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 79, 18, "GroupInfo.create") from #28
#49 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 80, 26, "GroupInfo.create") from #28
#50 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 81, 19, "GroupInfo.create") from #28
#51 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 166, 13, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#52 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 143, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #51
#53 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 375, 12, "emit_pipeline.<locals>.pipeline", "inserted by emit_pipeline") from #52
#54 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 429, 5, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #53
#55 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #54
#56 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #54
#57 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #54
#58 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #54
#59 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #54
#60 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #54
#61 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #53
#62 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #53
#63 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #53
#64 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #53
#65 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 568, 41, "emit_pipeline.<locals>.scoped_pipeline", "inserted by emit_pipeline") from #53
#66 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 440, 14, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#67 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 445, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#68 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 144, 43, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope.<locals>.<lambda>") from #65
#69 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 501, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#70 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 502, 22, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#71 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 509, 29, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#72 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 509, 52, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#73 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 509, 13, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#74 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 508, 9, "emit_pipeline.<locals>.scoped_pipeline.<locals>.loop_body", "inserted by emit_pipeline") from #65
#75 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 146, 27, "BufferedRef.compute_gmem_slice.<locals>._make_block_slice", "inserted by emit_pipeline") from #74
#76 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 174, 5, "BufferedRef.copy_in", "inserted by emit_pipeline") from #74
#77 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 34, "_inc_grid_by_1", "inserted by emit_pipeline") from #65
#78 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 230, 16, "_inc_grid_by_1", "inserted by emit_pipeline") from #65
#79 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 231, 13, "_inc_grid_by_1", "inserted by emit_pipeline") from #65
#80 = loc("jax/_src/pallas/mosaic_gpu/pipeline.py", 233, 9, "_inc_grid_by_1", "inserted by emit_pipeline") from #65
#81 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 164, 16, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.acc_scope") from #51
#82 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 168, 8, "ragged_dot.<locals>.body.<locals>.mn_loop") from #7
#83 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 173, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#84 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 173, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#85 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 174, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#86 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 219, 20, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#87 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 219, 12, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#88 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 223, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #87
#89 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 224, 23, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #87
#90 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 226, 13, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope.<locals>._") from #87
#91 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 228, 25, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#92 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 228, 11, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82
#93 = loc("jax/experimental/pallas/ops/gpu/ragged_dot_mgpu.py", 229, 9, "ragged_dot.<locals>.body.<locals>.mn_loop.<locals>.store_scope") from #82

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
        %23 = arith.div %20, %22 : i32 #13
        %24 = control.call i32(2), i32(2) {callee = "floor_divide"} : i32 #14
        %25 = arith.mul %24, i32(2) : i32 #15
        %26 = arith.mul %24, i32(2) : i32 #16
        %27 = arith.mul %26, i32(4) : i32 #16
        %28 = arith.lt %20, %27 : bool #17
        %29 = arith.rem %20, i32(2) : i32 #18
        %30 = arith.div %20, i32(2) : i32 #19
        %31 = arith.rem %30, i32(4) : i32 #20
        %32 = arith.mul %23, i32(2) : i32 #21
        %33 = arith.add %32, %29 : i32 #21
        %34 = arith.rem %23, i32(2) : i32 #22
        %35 = arith.eq %34, i32(0) : bool #22
        %36 = arith.sub i32(4), i32(1) : i32 #23
        %37 = arith.sub %36, %31 : i32 #23
        %38 = arith.select_n %35, %37, %31 : i32 #24
        %39 = arith.sub %20, %27 : i32 #25
        %40 = arith.sub i32(2), %25 : i32 #26
        %41 = arith.rem %39, %40 : i32 #18
        %42 = arith.div %39, %40 : i32 #19
        %43 = arith.rem %42, i32(4) : i32 #20
        %44 = arith.mul %23, i32(2) : i32 #21
        %45 = arith.add %44, %41 : i32 #21
        %46 = arith.rem %23, i32(2) : i32 #22
        %47 = arith.eq %46, i32(0) : bool #22
        %48 = arith.sub i32(4), i32(1) : i32 #23
        %49 = arith.sub %48, %43 : i32 #23
        %50 = arith.select_n %47, %49, %43 : i32 #24
        %51 = arith.select_n %28, %50, %38 : i32 #27
        %52 = arith.select_n %28, %45, %33 : i32 #27
        %53 = view.index %0 {sizes = [1], squeeze = [0], starts = [0]} : ref<gmem, i32> #29
        %54 = memory.load %53 : i32 #29
        %55 = view.index %0 {sizes = [1], squeeze = [0], starts = [1]} : ref<gmem, i32> #29
        %56 = memory.load %55 : i32 #29
        %57 = view.index %0 {sizes = [1], squeeze = [0], starts = [2]} : ref<gmem, i32> #29
        %58 = memory.load %57 : i32 #29
        %59 = arith.add i32(0), %54 : i32 #30
        %60 = arith.sub %59, i32(1) : i32 #31
        %61 = arith.div i32(0), i32(64) : i32 #32
        %62 = arith.div %60, i32(64) : i32 #33
        %63 = arith.add %62, i32(1) : i32 #34
        %64 = arith.add %61, i32(0) : i32 #35
        %65 = arith.add %63, i32(0) : i32 #36
        %66 = arith.le %64, %51 : bool #37
        %67 = arith.lt %51, %65 : bool #38
        %68 = arith.and %66, %67 : bool #39
        %69 = arith.sub %51, %64 : i32 #40
        %70 = arith.add %69, %61 : i32 #40
        %71 = arith.select_n %68, i32(0), %70 : i32 #41
        %72 = arith.select_n %68, i32(0), i32(0) : i32 #42
        %73 = arith.select_n %68, i32(0), i32(0) : i32 #43
        %74 = arith.select_n %68, i32(0), %59 : i32 #44
        %75 = arith.add %59, %56 : i32 #30
        %76 = arith.sub %75, i32(1) : i32 #31
        %77 = arith.div %59, i32(64) : i32 #32
        %78 = arith.div %76, i32(64) : i32 #33
        %79 = arith.add %78, i32(1) : i32 #34
        %80 = arith.add %77, i32(1) : i32 #35
        %81 = arith.add %79, i32(1) : i32 #36
        %82 = arith.le %80, %51 : bool #37
        %83 = arith.lt %51, %81 : bool #38
        %84 = arith.and %82, %83 : bool #39
        %85 = arith.sub %51, %80 : i32 #40
        %86 = arith.add %85, %77 : i32 #40
        %87 = arith.select_n %84, %71, %86 : i32 #41
        %88 = arith.select_n %84, %72, i32(1) : i32 #42
        %89 = arith.select_n %84, %73, %59 : i32 #43
        %90 = arith.select_n %84, %74, %75 : i32 #44
        %91 = arith.add %75, %58 : i32 #30
        %92 = arith.sub %91, i32(1) : i32 #31
        %93 = arith.div %75, i32(64) : i32 #32
        %94 = arith.div %92, i32(64) : i32 #33
        %95 = arith.add %94, i32(1) : i32 #34
        %96 = arith.add %93, i32(2) : i32 #35
        %97 = arith.add %95, i32(2) : i32 #36
        %98 = arith.le %96, %51 : bool #37
        %99 = arith.lt %51, %97 : bool #38
        %100 = arith.and %98, %99 : bool #39
        %101 = arith.sub %51, %96 : i32 #40
        %102 = arith.add %101, %93 : i32 #40
        %103 = arith.select_n %100, %87, %102 : i32 #41
        %104 = arith.select_n %100, %88, i32(2) : i32 #42
        %105 = arith.select_n %100, %89, %75 : i32 #43
        %106 = arith.select_n %100, %90, %91 : i32 #44
        %107 = arith.mul %103, i32(64) : i32 #45
        %108 = arith.max %105, %107 : i32 #46
        %109 = arith.add %107, i32(64) : i32 #47
        %110 = arith.min %106, %109 : i32 #48
        %111 = arith.sub %108, %107 : i32 #49
        %112 = arith.sub %110, %108 : i32 #50
        %113 = scope.run_scoped {collective_axes = []} {
          (%114 "acc_ref": ref<regs, f32[64,64]>)
          scope.run_scoped {collective_axes = []} {
            (%115 "barrier_ref": barrier<[2], arrivals=2>, %116 "in_smem_refs[0]": ref<smem, f16[2,64,64]>, %117 "in_smem_refs[1]": ref<smem, f16[2,64,64]>)
            %118, %119 = control.scan i32(0), i32(0) {length = 2, num_carry = 2, reverse = false} {
              (%120: i32, %121: i32)
              %122 = arith.add %120, i32(1) : i32 #54
              %123 = arith.mul %103, i32(64) : i32 #55
              %124 = arith.mul %121, i32(64) : i32 #55
              %125 = view.index %1, %123, %124 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #56
              %126 = view.index %116, %120 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #56
              %127 = view.index %115, %120 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #56
              copy.gmem_to_smem %125, %126, %127 {collective_axes = [], oob_mode = "zeros"} #56
              %128 = arith.mul %121, i32(64) : i32 #55
              %129 = arith.mul %52, i32(64) : i32 #55
              %130 = view.index %2, %104 {sizes = [1, 128, 128], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[128,128]> #56
              %131 = view.index %130, %128, %129 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #56
              %132 = view.index %117, %120 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #56
              %133 = view.index %115, %120 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #56
              copy.gmem_to_smem %131, %132, %133 {collective_axes = [], oob_mode = "zeros"} #56
              %134 = arith.add %121, i32(1) : i32 #57
              %135 = arith.select_n bool(true), %121, %134 : i32 #58
              %136 = arith.eq %135, i32(2) : bool #59
              %137 = arith.select_n %136, %135, i32(0) : i32 #60
              control.yield %122, %137 #54
            } : i32, i32 #54
            %138 = arith.add i32(0), i32(1) : i32 #61
            %139 = arith.select_n bool(true), i32(0), %138 : i32 #62
            %140 = arith.eq %139, i32(2) : bool #63
            %141 = arith.select_n %140, %139, i32(0) : i32 #64
            %142, %143, %144 = control.scan i32(0), i32(0), %141 {length = 2, num_carry = 3, reverse = false} {
              (%145: i32, %146: i32, %147: i32)
              %148 = arith.add %145, i32(1) : i32 #65
              %149 = arith.rem %145, i32(2) : i32 #66
              %150 = view.index %115, %149 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #67
              barrier.wait %150 #67
              %151 = view.index %116, %149 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #68
              %152 = view.index %117, %149 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #68
              wgmma.mma %114, %151, %152 #68
              %153 = arith.add %145, i32(1) : i32 #69
              %154 = arith.rem %153, i32(2) : i32 #70
              %155 = arith.ge %145, i32(1) : bool #71
              %156 = arith.lt %153, i32(2) : bool #72
              %157 = arith.and %155, %156 : bool #73
              %158 = arith.convert %157 : i32 #74
              control.cond %158 {
                control.yield #74
              } {
                %159 = arith.mul %103, i32(64) : i32 #75
                %160 = arith.mul %147, i32(64) : i32 #75
                %161 = view.index %1, %159, %160 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #76
                %162 = view.index %116, %154 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #76
                %163 = view.index %115, %154 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #76
                copy.gmem_to_smem %161, %162, %163 {collective_axes = [], oob_mode = "zeros"} #76
                %164 = arith.mul %147, i32(64) : i32 #75
                %165 = arith.mul %52, i32(64) : i32 #75
                %166 = view.index %2, %104 {sizes = [1, 128, 128], squeeze = [0], starts = [?, 0, 0]} : ref<gmem, f16[128,128]> #76
                %167 = view.index %166, %164, %165 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #76
                %168 = view.index %117, %154 {sizes = [1, 64, 64], squeeze = [0], starts = [?, 0, 0]} : ref<smem, f16[64,64]> #76
                %169 = view.index %115, %154 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=2> #76
                copy.gmem_to_smem %167, %168, %169 {collective_axes = [], oob_mode = "zeros"} #76
                control.yield #74
              } #74
              %170 = arith.add %147, i32(1) : i32 #77
              %171 = arith.select_n bool(true), %147, %170 : i32 #78
              %172 = arith.eq %171, i32(2) : bool #79
              %173 = arith.select_n %172, %171, i32(0) : i32 #80
              %174 = arith.add %146, i32(1) : i32 #77
              %175 = arith.select_n bool(true), %146, %174 : i32 #78
              %176 = arith.eq %175, i32(2) : bool #79
              %177 = arith.select_n %176, %175, i32(0) : i32 #80
              control.yield %148, %177, %173 #65
            } : i32, i32, i32 #65
            control.yield #53
          } #53
          %178 = wgmma.accumulator_deref %114 {wait_n = 0} : f32[64,64] #81
          control.yield %178 #51
        } : f32[64,64] #51
        scope.run_scoped {collective_axes = []} {
          (%179 "o_smem": ref<smem, f16[64,64]>)
          %180 = arith.convert %113 : f16[64,64] #83
          memory.store %179, %180 #84
          fence.commit_smem #85
          %181 = arith.and %112, i32(64) : i32 #86
          %182 = arith.ne %181, i32(0) : bool #86
          %183 = arith.convert %182 : i32 #87
          control.cond %183 {
            control.yield #87
          } {
            %184 = arith.add %107, %111 : i32 #88
            %185 = arith.mul %52, i32(64) : i32 #89
            %186 = view.index %179, %111 {sizes = [64, 64], starts = [?, 0]} : ref<smem, f16[64,64]> #90
            %187 = view.index %3, %184, %185 {sizes = [64, 64], starts = [?, ?]} : ref<gmem, f16[64,64]> #90
            copy.smem_to_gmem %186, %187 {commit_group = true} #90
            control.yield #87
          } #87
          %188 = arith.and %112, i32(64) : i32 #91
          %189 = arith.add %111, %188 : i32 #92
          %190 = arith.and %112, i32(32) : i32 #86
          %191 = arith.ne %190, i32(0) : bool #86
          %192 = arith.convert %191 : i32 #87
          control.cond %192 {
            control.yield #87
          } {
            %193 = arith.add %107, %189 : i32 #88
            %194 = arith.mul %52, i32(64) : i32 #89
            %195 = view.index %179, %189 {sizes = [32, 64], starts = [?, 0]} : ref<smem, f16[32,64]> #90
            %196 = view.index %3, %193, %194 {sizes = [32, 64], starts = [?, ?]} : ref<gmem, f16[32,64]> #90
            copy.smem_to_gmem %195, %196 {commit_group = true} #90
            control.yield #87
          } #87
          %197 = arith.and %112, i32(32) : i32 #91
          %198 = arith.add %189, %197 : i32 #92
          %199 = arith.and %112, i32(16) : i32 #86
          %200 = arith.ne %199, i32(0) : bool #86
          %201 = arith.convert %200 : i32 #87
          control.cond %201 {
            control.yield #87
          } {
            %202 = arith.add %107, %198 : i32 #88
            %203 = arith.mul %52, i32(64) : i32 #89
            %204 = view.index %179, %198 {sizes = [16, 64], starts = [?, 0]} : ref<smem, f16[16,64]> #90
            %205 = view.index %3, %202, %203 {sizes = [16, 64], starts = [?, ?]} : ref<gmem, f16[16,64]> #90
            copy.smem_to_gmem %204, %205 {commit_group = true} #90
            control.yield #87
          } #87
          %206 = arith.and %112, i32(16) : i32 #91
          %207 = arith.add %198, %206 : i32 #92
          %208 = arith.and %112, i32(8) : i32 #86
          %209 = arith.ne %208, i32(0) : bool #86
          %210 = arith.convert %209 : i32 #87
          control.cond %210 {
            control.yield #87
          } {
            %211 = arith.add %107, %207 : i32 #88
            %212 = arith.mul %52, i32(64) : i32 #89
            %213 = view.index %179, %207 {sizes = [8, 64], starts = [?, 0]} : ref<smem, f16[8,64]> #90
            %214 = view.index %3, %211, %212 {sizes = [8, 64], starts = [?, ?]} : ref<gmem, f16[8,64]> #90
            copy.smem_to_gmem %213, %214 {commit_group = true} #90
            control.yield #87
          } #87
          %215 = arith.and %112, i32(8) : i32 #91
          %216 = arith.add %207, %215 : i32 #92
          %217 = arith.and %112, i32(4) : i32 #86
          %218 = arith.ne %217, i32(0) : bool #86
          %219 = arith.convert %218 : i32 #87
          control.cond %219 {
            control.yield #87
          } {
            %220 = arith.add %107, %216 : i32 #88
            %221 = arith.mul %52, i32(64) : i32 #89
            %222 = view.index %179, %216 {sizes = [4, 64], starts = [?, 0]} : ref<smem, f16[4,64]> #90
            %223 = view.index %3, %220, %221 {sizes = [4, 64], starts = [?, ?]} : ref<gmem, f16[4,64]> #90
            copy.smem_to_gmem %222, %223 {commit_group = true} #90
            control.yield #87
          } #87
          %224 = arith.and %112, i32(4) : i32 #91
          %225 = arith.add %216, %224 : i32 #92
          %226 = arith.and %112, i32(2) : i32 #86
          %227 = arith.ne %226, i32(0) : bool #86
          %228 = arith.convert %227 : i32 #87
          control.cond %228 {
            control.yield #87
          } {
            %229 = arith.add %107, %225 : i32 #88
            %230 = arith.mul %52, i32(64) : i32 #89
            %231 = view.index %179, %225 {sizes = [2, 64], starts = [?, 0]} : ref<smem, f16[2,64]> #90
            %232 = view.index %3, %229, %230 {sizes = [2, 64], starts = [?, ?]} : ref<gmem, f16[2,64]> #90
            copy.smem_to_gmem %231, %232 {commit_group = true} #90
            control.yield #87
          } #87
          %233 = arith.and %112, i32(2) : i32 #91
          %234 = arith.add %225, %233 : i32 #92
          %235 = arith.and %112, i32(1) : i32 #86
          %236 = arith.ne %235, i32(0) : bool #86
          %237 = arith.convert %236 : i32 #87
          control.cond %237 {
            control.yield #87
          } {
            %238 = arith.add %107, %234 : i32 #88
            %239 = arith.mul %52, i32(64) : i32 #89
            %240 = view.index %179, %234 {sizes = [1, 64], starts = [?, 0]} : ref<smem, f16[1,64]> #90
            %241 = view.index %3, %238, %239 {sizes = [1, 64], starts = [?, ?]} : ref<gmem, f16[1,64]> #90
            copy.smem_to_gmem %240, %241 {commit_group = true} #90
            control.yield #87
          } #87
          %242 = arith.and %112, i32(1) : i32 #91
          %243 = arith.add %234, %242 : i32 #92
          copy.wait_smem_to_gmem {n = 0, wait_read_only = true} #93
          control.yield #82
        } #82
        control.yield %17, %16 #7
      } : i32, i32 #7
      control.yield #0
    } #0
    control.yield
  } #0
}
