pir 1

// The copy leaves the array, though it was promised to stay inside.
kernel @oob_promise {
  grid = [1] ["x"]
  input %0 "in": ref<gmem, f32[8,8]>
  output %1 "out": ref<gmem, f32[4,8]>
  body {
    %2 = arith.add i32(0), i32(5) : i32
    scope.run_scoped {collective_axes = []} {
      (%3 "tile": ref<smem, f32[4,8]>, %4 "ready": barrier<[], arrivals=1>)
      %5 = view.index %0, %2 {sizes = [4, 8], starts = [?, 0]} : ref<gmem, f32[4,8]>
      copy.gmem_to_smem %5, %3, %4 {collective_axes = [], oob_mode = "promise_in_bounds"} // ERROR: tma.oob-promise
      barrier.wait %4
      %6 = memory.load %3 : f32[4,8]
      memory.store %1, %6
      control.yield
    }
    control.yield
  }
}
