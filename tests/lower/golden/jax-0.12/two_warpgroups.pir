pir 1
#0 = loc("two_warpgroups.py", 12, 1, "kernel")
#1 = loc("two_warpgroups.py", 13, 8, "kernel") from #0
#2 = loc("two_warpgroups.py", 14, 11, "kernel") from #0
#3 = loc("two_warpgroups.py", 15, 16, "kernel") from #0
#4 = loc("two_warpgroups.py", 17, 12, "kernel") from #0
#5 = loc("two_warpgroups.py", 17, 4, "kernel") from #0
#6 = loc("two_warpgroups.py", 19, 5, "kernel.<locals>._") from #5
#7 = loc("two_warpgroups.py", 21, 12, "kernel") from #0
#8 = loc("two_warpgroups.py", 21, 4, "kernel") from #0
#9 = loc("two_warpgroups.py", 23, 5, "kernel.<locals>._") from #8
#10 = loc("two_warpgroups.py", 24, 21, "kernel.<locals>._") from #8
#11 = loc("two_warpgroups.py", 24, 5, "kernel.<locals>._") from #8
#12 = loc("two_warpgroups.py", 25, 5, "kernel.<locals>._") from #8
#13 = loc("two_warpgroups.py", 26, 5, "kernel.<locals>._") from #8
#14 = loc("two_warpgroups.py", 27, 5, "kernel.<locals>._") from #8

kernel @kernel {
  grid = [2] ["x"]
  threads = 2 "wg"
  attributes = {arch = "sm_90a"}
  input %0 "x_gmem": ref<gmem, f16[128,64]>
  output %1 "out_gmem": ref<gmem, f16[128,64]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "in_smem": ref<smem, f16[8,1,8,64], unswizzle(128), untile(8, 64)>, %3 "out_smem": ref<smem, f16[8,1,8,64], unswizzle(128), untile(8, 64)>, %4 "ready": barrier<[1], arrivals=1>)
      %5 = thread.axis_index {axis = "wg"} : i32 #1
      %6 = thread.axis_index {axis = "x"} : i32 #2
      %7 = arith.mul %6, i32(64) : i32 #3
      %8 = arith.eq %5, i32(0) : bool #4
      %9 = arith.convert %8 : i32 #5
      control.cond %9 {
        control.yield #5
      } {
        %10 = view.index %0, %7 {sizes = [64, 64], starts = [?, 0]} : ref<gmem, f16[64,64]> #6
        %11 = view.unswizzle %2 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #6
        %12 = view.untile %11 {tiling = [8, 64]} : ref<smem, f16[64,64]> #6
        %13 = view.index %4 {sizes = [1], squeeze = [0], starts = [0]} : barrier<[], arrivals=1> #6
        copy.gmem_to_smem %10, %12, %13 {collective_axes = [], oob_mode = "zeros"} #6
        control.yield #5
      } #5
      %14 = arith.eq %5, i32(1) : bool #7
      %15 = arith.convert %14 : i32 #8
      control.cond %15 {
        control.yield #8
      } {
        %16 = view.index %4 {sizes = [1], squeeze = [0], starts = [0]} : barrier<[], arrivals=1> #9
        barrier.wait %16 #9
        %17 = view.unswizzle %2 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #10
        %18 = view.untile %17 {tiling = [8, 64]} : ref<smem, f16[64,64]> #10
        %19 = memory.load %18 : f16[64,64] #10
        %20 = shape.broadcast_in_dim f16(2.0) {dimensions = []} : f16[64,64] #10
        %21 = arith.mul %19, %20 : f16[64,64] #10
        %22 = shape.broadcast_in_dim f16(1.5) {dimensions = []} : f16[64,64] #10
        %23 = arith.add %21, %22 : f16[64,64] #10
        %24 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #11
        %25 = view.untile %24 {tiling = [8, 64]} : ref<smem, f16[64,64]> #11
        memory.store %25, %23 #11
        fence.commit_smem #12
        %26 = view.unswizzle %3 {swizzle = 128} : ref<smem, f16[8,1,8,64]> #13
        %27 = view.untile %26 {tiling = [8, 64]} : ref<smem, f16[64,64]> #13
        %28 = view.index %1, %7 {sizes = [64, 64], starts = [?, 0]} : ref<gmem, f16[64,64]> #13
        copy.smem_to_gmem %27, %28 {commit_group = true} #13
        copy.wait_smem_to_gmem {n = 0, wait_read_only = false} #14
        control.yield #8
      } #8
      control.yield #0
    } #0
    control.yield
  } #0
}
