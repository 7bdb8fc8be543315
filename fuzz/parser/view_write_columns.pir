pir 1

kernel @write_columns {
  grid = [] []
  output %0 "out": ref<gmem, i32[2,8]>
  body {
    %1 = view.transpose %0 {permutation = [1, 0]} : ref<gmem, i32[8,2]>
    %2 = shape.iota {dimension = 0} : i32[8,2]
    memory.store %1, %2
    control.yield
  }
}
