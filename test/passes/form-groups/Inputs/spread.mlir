// Each column of a matmul four times, side by side, for the next one.
func.func @spread(%x: tensor<2x32x16xf32>, %a: tensor<4x16xf32>, %b: tensor<8x16xf32>) -> tensor<2x32x8xf32> {
  %0 = seq.linear %x, %a : tensor<2x32x16xf32>, tensor<4x16xf32> -> tensor<2x32x4xf32>
  %1 = seq.broadcast %0 dims [0, 1, 2] : tensor<2x32x4xf32> -> tensor<2x32x4x4xf32>
  %2 = seq.reshape %1 : tensor<2x32x4x4xf32> -> tensor<2x32x16xf32>
  %3 = seq.linear %2, %b : tensor<2x32x16xf32>, tensor<8x16xf32> -> tensor<2x32x8xf32>
  %4 = math.tanh %3 : tensor<2x32x8xf32>
  return %4 : tensor<2x32x8xf32>
}
