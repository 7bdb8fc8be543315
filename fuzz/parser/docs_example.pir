pir 1
#0 = loc("kernel.py", 12, 5, "kernel")
#1 = loc("pipeline.py", 80, 9, "body", "inserted by emit_pipeline") from #0

func @remainder(%0: i32, %1: i32) -> (i32) {
  %2 = arith.rem %0, %1 : i32 #0
  control.yield %2
}

kernel @add_one {
  grid = [2] ["x"]
  cluster = [1] ["cluster"]
  threads = 2 "wg"
  attributes = {approx_math = false}
  input %0 "x": ref<gmem, f32[8,128]>
  output %1 "out": ref<gmem, f32[8,128]>
  body {
    scope.run_scoped {collective_axes = ["wg"]} {
      (%2 "scratch": ref<smem, f16[1,2,8,64], unswizzle(128), untile(8, 64)>, %3 "bar": barrier<[2], arrivals=1>)
      %4 = thread.axis_index {axis = "wg"} : i32 #1
      %5 = view.index %3, %4 {sizes = [1], squeeze = [0], starts = [?]} : barrier<[], arrivals=1>
      barrier.wait %5 #1
      control.yield
    } #0
    control.yield
  } #0
}
