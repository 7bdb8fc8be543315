pir 1
#0 = loc("a \"b\" \\ \u0001\n\té.py", 0, 2147483647, "<lambda>", "a note")

func @"no identifier"() -> () {
  control.yield
}

func @two(%0 "x": f32[8], %1: ref<smem, u8[4]>) -> (f32[8], i32) {
  control.yield %0, i32(-4)
}

kernel @"<lambda>" {
  grid = [2, 3] ["x", "y"]
  cluster = [1, 2] ["a", "b"]
  threads = 3
  attributes = {arch = "h100", empty = [], scale = -0.5}
  input %0 "in": ref<gmem, f32[8]>
  output %1 aliases %0: ref<gmem, f32[8]>
  body {
    test.attributes {bool = true, bytes = hex"00ff7f", float = 1e+100, int = -3, ints = [1, ?, -9223372036854775807], string = "", strings = ["a", "\u001f"]} #0
    test.attributes {bool = false, bytes = hex"", float = -inf, int = -9223372036854775808, ints = [], strings = []}
    test.attributes {float = nan}
    %2, %3 = control.call %0, bool(true) {callee = "two"} : f32[8], i32 #0
    %4 = control.cond bool(false) {
    } {
      (%5: i32, %6 "b": barrier<[2,3], arrivals=4, orders_tensor_core, cluster=["x", "y"], leader_tracked>)
      %7 = arith.rem %5, %5 : i32
      control.yield %7
    } : i32
    scope.run_scoped {collective_axes = []} {
      (%8: ref<tmem, f8e4m3fn[0,12]>, %9: ref<regs, i1>, %10: barrier<[], arrivals=0>)
      control.yield
    }
    control.yield
  } #0
}
