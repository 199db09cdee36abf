// RUN: stretto-opt %s --seq-add-loss | FileCheck %s
// RUN: stretto-opt %s --seq-add-loss=head-bytes=8192 | FileCheck %s --check-prefix=CHUNKS

// The module says which terms the loss has; the evaluation has none of them.

module attributes {seq.nll_square = 1.0e-4 : f64, seq.z_loss = 0.25 : f64} {
  seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

  func.func @main(%t: tensor<2x32xi32>) -> tensor<2x32x64xf32> {
    %e = seq.get_parameter @e : tensor<64x16xf32>
    %0 = seq.embed %t, %e : tensor<2x32xi32>, tensor<64x16xf32> -> tensor<2x32x16xf32>
    %1 = seq.linear %0, %e : tensor<2x32x16xf32>, tensor<64x16xf32> -> tensor<2x32x64xf32>
    return %1 : tensor<2x32x64xf32>
  }
}

// CHECK-LABEL: func @evaluate
// CHECK: seq.predict %{{.*}}, %{{.*}} : tensor<2x32x64xf32>, tensor<2x32xi32> -> tensor<2x32xf32>{{$}}
// CHECK-LABEL: func @gradients
// CHECK: seq.cross_entropy %{{.*}} nll_square 1.000000e-04 z_loss 2.500000e-01 :
// CHUNKS-LABEL: func private @head(
// CHUNKS: seq.cross_entropy %{{.*}} nll_square 1.000000e-04 z_loss 2.500000e-01 :
