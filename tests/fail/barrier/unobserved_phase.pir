pir 1

// A barrier completes twice and no thread waits on it.
kernel @unobserved_phase {
  grid = [1] ["x"]
  threads = 2 "wg"
  body {
    %10 = thread.axis_index {axis = "wg"} : i32
    scope.run_scoped {collective_axes = ["wg"]} {
      (%1 "ready": barrier<[], arrivals=1>, %2 "seen": barrier<[], arrivals=1>)
      control.cond %10 {
        barrier.arrive %1
        barrier.arrive %1 // ERROR: barrier.unobserved-phase
        control.yield
      } {
        control.yield
      }
      control.yield
    }
    control.yield
  }
}
