pir 1

// Only one block of the pair issues the multicast: half of its tile never comes.
kernel @multicast_one_block_stays_away {
  grid = [1] ["x"]
  cluster = [2] ["c"]
  input %0 "in": ref<gmem, f32[4,8]>
  body {
    %1 = thread.axis_index {axis = "c"} : i32
    scope.run_scoped {collective_axes = []} { // ERROR: barrier.pending-at-dealloc
      (%2 "tile": ref<smem, f32[4,8]>, %3 "ready": barrier<[], arrivals=1>)
      control.cond %1 {
        copy.gmem_to_smem %0, %2, %3 {collective_axes = ["c"], oob_mode = "zeros"}
        barrier.wait %3
        control.yield
      } {
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
