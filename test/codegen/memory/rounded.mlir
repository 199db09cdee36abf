// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s
// RUN: stretto-opt %s --kern-plan-memory | sed 's/#kern.slot<rounded, 256,/#kern.slot<rounded, 254,/' > %t.mlir
// RUN: not stretto-opt %t.mlir --kern-verify-memory 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: is not where its operands are

// The bf16 copy of a parameter lies at half its offset and stride; the arena ends with whole rows of the flat buffers.
// Columns of bf16 values are ranges of bytes half as wide.

// CHECK: kern.arenas = array<i64: {{[0-9]+}}, 2048, 2048, 2048, 2048, 2048, 128, 512, 0, 64, 1024, 0, 2048, 0>
// CHECK: seq.parameter @w {{.*}}kern.slot = #kern.slot<parameters, 64, stride 896, parity 0>
// CHECK: seq.parameter @v {{.*}}kern.slot = #kern.slot<parameters, 512, stride 896, parity 0>
module attributes {seq.activation_type = bf16} {
seq.parameter @g parts [#seq.part<"g", 7, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<7xf32>
seq.parameter @w parts [#seq.part<"l.{}.w", 14, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x14x7xf32>
seq.parameter @v parts [#seq.part<"l.{}.v", 14, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x14x7xf32>

// CHECK-LABEL: func private @layer(
// CHECK-SAME: tensor<14x7xbf16> {kern.slot = #kern.slot<rounded, 32, stride 448, parity 0>}
// CHECK-SAME: tensor<14x7xbf16> {kern.slot = #kern.slot<rounded, 256, stride 448, parity 0>}
func.func private @layer(%x: tensor<2x3x7xbf16>, %w: tensor<14x7xbf16>, %v: tensor<14x7xbf16>) -> (tensor<2x3x7xbf16>, tensor<2x3x14xbf16>) {
  // CHECK: kern.slots = [#kern.slot<outputs, 128, stride 168, parity 0>]
  %0 = seq.linear %x, %w : tensor<2x3x7xbf16>, tensor<14x7xbf16> -> tensor<2x3x14xbf16>
  %1 = seq.linear %x, %v : tensor<2x3x7xbf16>, tensor<14x7xbf16> -> tensor<2x3x14xbf16>
  // CHECK: seq.linear {{.*}}#kern.slot<activations, 2048,
  // CHECK: seq.slice %{{.*}} at 7 {{.*}}#kern.slot<activations, 2062,
  %2 = seq.slice %1 at 7 : tensor<2x3x14xbf16> -> tensor<2x3x7xbf16>
  // CHECK: kern.copy
  %3 = kern.rowwise kernel "k"(%2) maps [row] {
  ^bb0(%row: tensor<7xbf16>):
    %4 = arith.extf %row : tensor<7xbf16> to tensor<7xf32>
    %5 = math.exp %4 : tensor<7xf32>
    %6 = arith.truncf %5 : tensor<7xf32> to tensor<7xbf16>
    kern.yield %6 : tensor<7xbf16>
  } : (tensor<2x3x7xbf16>) -> tensor<2x3x7xbf16>
  return %3, %0 : tensor<2x3x7xbf16>, tensor<2x3x14xbf16>
}

func.func @gradients(%x: tensor<2x3x7xbf16>) -> (tensor<2x3x7xbf16>, tensor<4x3x14xbf16>) {
  %w = seq.get_parameter @w rounded : tensor<2x14x7xbf16>
  %v = seq.get_parameter @v rounded : tensor<2x14x7xbf16>
  %y:2 = seq.scan @layer trips 2 carry(%x) slices(%w, %v) invariants() : (tensor<2x3x7xbf16>, tensor<2x14x7xbf16>, tensor<2x14x7xbf16>) -> (tensor<2x3x7xbf16>, tensor<2x2x3x14xbf16>)
  %z = seq.reshape %y#1 : tensor<2x2x3x14xbf16> -> tensor<4x3x14xbf16>
  return %y#0, %z : tensor<2x3x7xbf16>, tensor<4x3x14xbf16>
}
}
