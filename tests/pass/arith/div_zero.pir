pir 1

// The divisors of fail/arith/div_zero.pir made 1 at least, or known to be no zeros.
kernel @div_zero {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[4,3]>
  output %1 "last": ref<gmem, u8>
  body {
    %2 = shape.iota {dimension = 0} : i32[4,3]
    %3 = shape.iota {dimension = 1} : i32[4,3]
    %4 = shape.broadcast_in_dim i32(1) {dimensions = []} : i32[4,3]
    %5 = arith.sub %2, %3 : i32[4,3]
    %6 = arith.max %5, %4 : i32[4,3]
    %7 = arith.div %2, %6 : i32[4,3]
    %8 = arith.rem %7, %4 : i32[4,3]
    memory.store %0, %8
    %9 = shape.iota {dimension = 0} : u8[5]
    %10 = control.scan u8(0), %9 {length = 5, num_carry = 1} {
      (%11: u8, %12: u8)
      %13 = arith.sub %12, u8(2) : u8
      %14 = arith.max %13, u8(1) : u8
      %15 = arith.rem u8(200), %14 : u8
      control.yield %15
    } : u8
    memory.store %1, %10
    control.yield
  }
}
