pir 1

// One block of the pair leaves, and the other has arrived on its barrier.
kernel @barrier_one_block_stays_away {
  grid = [1] ["x"]
  cluster = [2] ["c"]
  body {
    %1 = thread.axis_index {axis = "c"} : i32
    scope.run_scoped {collective_axes = []} { // ERROR: barrier.pending-at-dealloc
      (%2 "pair": barrier<[], arrivals=1, cluster=["c"]>)
      control.cond %1 {
        barrier.arrive %2
        barrier.wait %2
        control.yield
      } {
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
