pir 1

kernel @write_as_a_matrix {
  grid = [] []
  output %0 "out": ref<gmem, i32[16]>
  body {
    %1 = view.reshape %0 : ref<gmem, i32[2,8]>
    %2 = shape.iota {dimension = 1} : i32[2,8]
    memory.store %1, %2
    control.yield
  }
}
