// RUN: stretto-opt --kern-add-optimizer %s | FileCheck %s
// Factors of weights are read row by row: 64 bytes belong to one part, and here, of 3 columns, each element may be of another.

// CHECK: func.func @apply({{.*}} %[[FACTORS:[a-z0-9]+]]: tensor<1x1x1024xf32> {kern.slot = #kern.slot<factors, 0, stride 0, parity 0>})
// CHECK: kern.rowwise kernel "apply.adamw"({{.*}}, %[[FACTORS]]) maps [row, row, row, row, shared, shared, row]
// CHECK: seq.slice {{.*}} at 0 : tensor<1024xf32> -> tensor<512xf32>
// CHECK: seq.slice {{.*}} at 512 : tensor<1024xf32> -> tensor<512xf32>
seq.parameter @w parts [#seq.part<"q", 1, <normal, 0.0 : f64, 1.0 : f64> factors <0.5 : f64, 0.0 : f64>>, #seq.part<"k", 2, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<3x3xf32>
func.func @gradients(%dw: tensor<3x3xf32>) {
  seq.gradient @w, %dw : tensor<3x3xf32>
  return
}
