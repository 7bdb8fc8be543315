pir 1

kernel @write_a_row {
  grid = [] []
  output %0 "out": ref<gmem, i32[2,8]>
  body {
    %1 = shape.iota {dimension = 0} : i32[8]
    %2 = view.index %0 {sizes = [1, 8], squeeze = [0], starts = [0, 0]} : ref<gmem, i32[8]>
    memory.store %2, %1
    %3 = view.index %0, i32(1) {sizes = [1, 8], squeeze = [0], starts = [?, 0]} : ref<gmem, i32[8]>
    memory.store %3, %1
    control.yield
  }
}
