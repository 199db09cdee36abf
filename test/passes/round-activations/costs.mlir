// Bytes are counted in the type that activations will have: rows of columns half of f32, one number per row whole.
// RUN: stretto-opt %s --kern-form-groups --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: stretto-opt %s --seq-set-activation-type --kern-form-groups --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROUNDED
// WIDE: BytesMoved=2112
// ROUNDED: BytesMoved=1088

func.func @main(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8xf32>) {
  %0 = math.exp %x : tensor<2x8x16xf32>
  %1 = seq.reduce add %0 : tensor<2x8x16xf32> -> tensor<2x8xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8xf32>
}
