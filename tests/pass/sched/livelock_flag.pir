pir 1

// A thread polls a flag in GMEM until the other sets it.
kernel @livelock_flag {
  grid = [1] ["x"]
  threads = 2 "wg"
  output %0 "flag": ref<gmem, i32[]>
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "unused": barrier<[], arrivals=1>)
      control.cond %10 {
        memory.store %0, i32(1)
        control.yield
      } {
        %20 = control.while i32(0) {
        (%21: i32)
        %22 = arith.ne %21, i32(1) : bool
        control.yield %22
        } {
        (%23: i32)
        %24 = memory.load %0 : i32
        control.yield %24
        } : i32
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
