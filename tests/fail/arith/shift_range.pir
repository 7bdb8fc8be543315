pir 1

func @shifted(%0: u64) -> (u64) {
  %1 = arith.shift_right_logical u64(9), %0 : u64 // ERROR: arith.shift-range
  control.yield %1
}

// Amounts that are the width or more, or negative: of arrays, and of a constant in a call.
kernel @shift_range {
  grid = [1] ["x"]
  output %0 "left": ref<gmem, i32[40]>
  output %1 "right": ref<gmem, i8[4]>
  output %2 "one": ref<gmem, u64>
  body {
    %3 = shape.iota {dimension = 0} : i32[40]
    %4 = arith.add %3, %3 : i32[40]
    %5 = arith.shift_left %3, %4 : i32[40] // ERROR: arith.shift-range
    memory.store %0, %5
    %6 = shape.iota {dimension = 0} : i8[4]
    %7 = shape.broadcast_in_dim i8(1) {dimensions = []} : i8[4]
    %8 = arith.sub %6, %7 : i8[4]
    %9 = arith.shift_right_arithmetic %6, %8 : i8[4] // ERROR: arith.shift-range
    memory.store %1, %9
    %10 = control.call u64(64) {callee = "shifted"} : u64
    memory.store %2, %10
    control.yield
  }
}
