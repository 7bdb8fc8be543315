pir 1

// A loop that ends within the limit.
// OPTIONS: max_steps=200
kernel @step_limit {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[]>
  body {
    %1 = control.while i32(0) {
      (%3: i32)
      %4 = arith.lt %3, i32(20) : bool
      control.yield %4
    } {
      (%5: i32)
      %6 = arith.add %5, i32(1) : i32
      control.yield %6
    } : i32
    memory.store %0, %1
    control.yield
  }
}
