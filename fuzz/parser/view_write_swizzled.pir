pir 1

kernel @write_swizzled {
  grid = [] []
  output %0 "out": ref<gmem, f16[8,64]>
  body {
    scope.run_scoped {collective_axes = []} {
      (%1 "scratch": ref<smem, f16[8,64], unswizzle(128)>)
      %2 = shape.iota {dimension = 1} : f16[8,64]
      %3 = view.unswizzle %1 {swizzle = 128} : ref<smem, f16[8,64]>
      memory.store %3, %2
      %4 = memory.load %3 : f16[8,64]
      memory.store %0, %4
      control.yield
    }
    control.yield
  }
}
