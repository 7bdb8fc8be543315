pir 1

// A loop of tests that gives up after eight: it ends though nobody ever arrives.
kernel @bounded_spin {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "never": barrier<[], arrivals=1>)
      %2 = control.scan i32(0) {length = 8, num_carry = 1} {
        (%3: i32)
        %4 = barrier.test %1 : bool
        %5 = control.cond %4 {
          control.yield i32(1)
        } {
          control.yield i32(100)
        } : i32
        %6 = arith.add %3, %5 : i32
        control.yield %6
      } : i32
      memory.store %0, %2
      control.yield
    }
    control.yield
  }
}
