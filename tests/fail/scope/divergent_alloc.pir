pir 1

// Each thread allocates in its own branch.
kernel @divergent_alloc {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    control.cond %0 {
      scope.run_scoped {collective_axes = ["wg"]} {
        (%1 "left": ref<smem, f32[8]>)
        control.yield
      }
      control.yield
    } {
      scope.run_scoped {collective_axes = ["wg"]} { // ERROR: scope.divergent-alloc
        (%2 "right": ref<smem, f32[16]>)
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
