pir 1

// The copy has arrived, its bytes are under way, and another arrival comes.
// OPTIONS: async_values=late
kernel @over_arrive {
  grid = [1] ["x"]
  input %0 "in": ref<gmem, f32[8]>
  output %1 "out": ref<gmem, f32[8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%2 "tile": ref<smem, f32[8]>, %3 "ready": barrier<[], arrivals=1>)
      copy.gmem_to_smem %0, %2, %3 {collective_axes = [], oob_mode = "zeros"}
      barrier.arrive %3 // ERROR: barrier.over-arrive
      barrier.wait %3
      %4 = memory.load %2 : f32[8]
      memory.store %1, %4
      control.yield
    }
    control.yield
  }
}
