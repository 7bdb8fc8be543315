pir 1

// The copy leaves the SMEM buffer.
kernel @smem_oob {
  grid = [1] ["x"]
  input %0 "in": ref<gmem, f32[4,8]>
  output %1 "out": ref<gmem, f32[4,8]>
  body {
    %2 = arith.add i32(0), i32(5) : i32
    scope.run_scoped {collective_axes = []} {
      (%3 "tile": ref<smem, f32[8,8]>, %4 "ready": barrier<[], arrivals=1>)
      %5 = view.index %3, %2 {sizes = [4, 8], starts = [?, 0]} : ref<smem, f32[4,8]>
      copy.gmem_to_smem %0, %5, %4 {collective_axes = [], oob_mode = "zeros"} // ERROR: smem.oob
      barrier.wait %4
      %6 = memory.load %5 : f32[4,8]
      memory.store %1, %6
      control.yield
    }
    control.yield
  }
}
