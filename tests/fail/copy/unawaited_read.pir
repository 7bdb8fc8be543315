pir 1

// The thread ends while its copy may still read shared memory.
kernel @unawaited_read {
  grid = [1] ["x"]
  output %0 "out": ref<gmem, f32[8]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "tile": ref<smem, f32[8]>)
      %2 = shape.broadcast_in_dim f32(1.0) {dimensions = []} : f32[8]
      memory.store %1, %2
      fence.commit_smem
      copy.smem_to_gmem %1, %0 {commit_group = true} // ERROR: tma.unawaited-read
      control.yield
    }
    control.yield
  }
}
