pir 1

// Only one of two threads comes to the allocation.
kernel @one_thread_allocates {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %0 = thread.axis_index {axis = "wg"} : i32
    control.cond %0 {
      scope.run_scoped {collective_axes = ["wg"]} { // ERROR: scope.divergent-alloc
        (%1 "left": ref<smem, f32[8]>)
        control.yield
      }
      control.yield
    } {
      control.yield
    }
    control.yield
  }
}
