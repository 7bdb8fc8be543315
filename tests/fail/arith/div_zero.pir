pir 1

// Quotients and remainders by 0: of arrays in a fused chain, of a scalar in a loop.
kernel @div_zero {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[4,3]>
  output %1 "last": ref<gmem, u8>
  body {
    %2 = shape.iota {dimension = 0} : i32[4,3]
    %3 = shape.iota {dimension = 1} : i32[4,3]
    %4 = arith.sub %2, %3 : i32[4,3]
    %5 = arith.div %2, %4 : i32[4,3] // ERROR: arith.div-zero
    %6 = arith.rem %5, %3 : i32[4,3] // ERROR: arith.div-zero
    memory.store %0, %6
    %7 = shape.iota {dimension = 0} : u8[5]
    %8 = control.scan u8(0), %7 {length = 5, num_carry = 1} {
      (%9: u8, %10: u8)
      %11 = arith.sub %10, u8(2) : u8
      %12 = arith.rem u8(200), %11 : u8 // ERROR: arith.div-zero
      control.yield %12
    } : u8
    memory.store %1, %8
    control.yield
  }
}
