pir 1

// The index is zero.
kernel @gmem_oob_negative {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, i32[8]>
  body {
    %1 = arith.add i32(0), i32(0) : i32
    %2 = view.index %0, %1 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    memory.store %2, i32(1)
    control.yield
  }
}
