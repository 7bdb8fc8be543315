pir 1

// A ClusterBarrier along two axes of a 2x2 cluster: three of four blocks arrive on each.
kernel @barrier_two_axes {
  grid = [1] ["x"]
  cluster = [2, 2] ["r", "c"]
  output %0 "words": ref<gmem, i32[2,2]>
  output %1 "seen": ref<gmem, i32[2,2,2]>
  body {
    %2 = thread.axis_index {axis = "r"} : i32
    %3 = thread.axis_index {axis = "c"} : i32
    scope.run_scoped {collective_axes = []} {
      (%4 "all": barrier<[], arrivals=1, cluster=["r", "c"]>)
      %5 = view.index %0, %2, %3 {sizes = [1, 1], squeeze = [0, 1], starts = [?, ?]} : ref<gmem, i32[]>
      %6 = arith.mul %2, i32(10) : i32
      %7 = arith.add %6, %3 : i32
      memory.store %5, %7
      barrier.arrive %4
      barrier.wait %4
      %8 = view.index %0, %2 {sizes = [1, 2], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[2]>
      %9 = memory.load %8 : i32[2]
      %10 = view.index %1, %2, %3 {sizes = [1, 1, 2], squeeze = [0, 1], starts = [?, ?, 0]} : ref<gmem, i32[2]>
      memory.store %10, %9
      control.yield
    }
    control.yield
  }
}
