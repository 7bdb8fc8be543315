pir 1

func @shifted(%0: u64) -> (u64) {
  %1 = arith.shift_right_logical u64(9), %0 : u64
  control.yield %1
}

// The largest amounts that are defined.
kernel @shift_range {
  grid = [1] ["x"]
  output %0 "left": ref<gmem, i32[40]>
  output %1 "right": ref<gmem, i8[4]>
  output %2 "one": ref<gmem, u64>
  body {
    %3 = shape.iota {dimension = 0} : i32[40]
    %4 = shape.broadcast_in_dim i32(31) {dimensions = []} : i32[40]
    %5 = arith.min %3, %4 : i32[40]
    %6 = arith.shift_left %3, %5 : i32[40]
    memory.store %0, %6
    %7 = shape.iota {dimension = 0} : i8[4]
    %8 = shape.broadcast_in_dim i8(7) {dimensions = []} : i8[4]
    %9 = arith.shift_right_arithmetic %7, %8 : i8[4]
    memory.store %1, %9
    %10 = control.call u64(63) {callee = "shifted"} : u64
    memory.store %2, %10
    control.yield
  }
}
