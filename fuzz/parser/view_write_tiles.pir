pir 1

kernel @write_tiles {
  grid = [] []
  output %0 "out": ref<gmem, f16[16,64]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "scratch": ref<smem, f16[2,2,8,32], untile(8, 32)>)
      %2 = shape.iota {dimension = 1} : f16[16,64]
      %3 = view.untile %1 {tiling = [8, 32]} : ref<smem, f16[16,64]>
      memory.store %3, %2
      %4 = memory.load %3 : f16[16,64]
      memory.store %0, %4
      control.yield
    }
    control.yield
  }
}
