// RUN: stretto-opt %s --seq-set-activation-type --kern-round-activations --split-input-file | FileCheck %s

// A mixer takes and gives these rows in f32. Where matmuls or attention make or read the same rows in bf16, a kernel converts.
// CHECK-LABEL: func @gradient
func.func @gradient(%x: tensor<2x8x16xf32>, %dout: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x16xf32>) {
  %w = seq.get_parameter @w : tensor<2x16xf32>
  // CHECK: %[[WRITE:.*]] = seq.linear {{.*}} -> tensor<2x8x2xf32>
  // CHECK: seq.mixer {{.*}} write %[[WRITE]] : tensor<2x8x2xf32>
  %write = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<2x16xf32> -> tensor<2x8x2xf32>
  %out, %states = seq.mixer %x, %x, %x write %write : tensor<2x8x2xf32> heads 2 key_heads 2 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x2x1x64xf32>
  // CHECK: seq.mixer_grad {{.*}} write tensor<2x8x2xf32>
  // CHECK: %[[ROUNDED:.*]] = kern.rowwise kernel "gradient.exact0"(%{{.*}}) maps [row]
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<2xf32>):
  // CHECK-NEXT: %[[SHORT:.*]] = arith.truncf %[[ROW]] : tensor<2xf32> to tensor<2xbf16>
  // CHECK-NEXT: kern.yield %[[SHORT]] : tensor<2xbf16>
  // CHECK: seq.linear_input_grad %[[ROUNDED]], {{.*}} -> tensor<2x8x16xbf16>
  // CHECK: seq.linear_weight_grad %[[ROUNDED]], {{.*}} -> tensor<2x16xf32>
  %dq, %dk, %dv, %dwrite = seq.mixer_grad %dout, %x, %x, %x write %write : tensor<2x8x2xf32> states %states heads 2 key_heads 2 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x2x1x64xf32> -> tensor<2x8x16xf32> write tensor<2x8x2xf32>
  %dx = seq.linear_input_grad %dwrite, %w : tensor<2x8x2xf32>, tensor<2x16xf32> -> tensor<2x8x16xf32>
  %dw = seq.linear_weight_grad %dwrite, %x : tensor<2x8x2xf32>, tensor<2x8x16xf32> -> tensor<2x16xf32>
  return %dx, %dw : tensor<2x8x16xf32>, tensor<2x16xf32>
}
seq.parameter @w parts [#seq.part<"w", 2, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<2x16xf32>

// -----

// CHECK-LABEL: func @operand
func.func @operand(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: %[[BY:.*]], %{{.*}} = seq.attention {{.*}} : tensor<2x8x16xbf16>
  // CHECK: %[[DECAY:.*]] = kern.rowwise kernel "operand.exact0"(%[[BY]]) maps [row]
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<16xbf16>):
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[ROW]] : tensor<16xbf16> to tensor<16xf32>
  // CHECK-NEXT: kern.yield %[[WIDE]] : tensor<16xf32>
  // CHECK: seq.mixer {{.*}} decay %[[DECAY]] : tensor<2x8x16xf32>
  %by, %lse = seq.attention %x, %x, %x heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  %out = seq.mixer %x, %x, %x decay %by : tensor<2x8x16xf32> heads 2 key_heads 2 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  return %out : tensor<2x8x16xf32>
}

// -----

// CHECK-LABEL: func @decay
func.func @decay(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<2x16xf32>
  // CHECK: %[[DECAY:.*]] = seq.linear {{.*}} : tensor<2x8x16xbf16>, tensor<2x16xbf16> -> tensor<2x8x2xf32>
  // CHECK: seq.attention {{.*}} decay %[[DECAY]] : tensor<2x8x2xf32> {{.*}} : tensor<2x8x16xbf16>
  %decay = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<2x16xf32> -> tensor<2x8x2xf32>
  %out, %lse = seq.attention %x, %x, %x decay %decay : tensor<2x8x2xf32> heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  return %out : tensor<2x8x16xf32>
}
seq.parameter @w parts [#seq.part<"w", 2, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<2x16xf32>

// -----

// Sines are taken of a sum over tokens: all rows of the mixer and of its gradient stay in f32.
// CHECK-LABEL: func @angles
func.func @angles(%x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: %[[OUT:.*]], %[[STATES:.*]] = seq.mixer {{.*}} exact : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %out, %states = seq.mixer %x, %x, %x heads 2 key_heads 2 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x2x1x64xf32>
  // CHECK: kern.rowwise {{.*}}(%[[OUT]], %{{.*}})
  // CHECK: kern.yield %{{.*}}, %{{.*}} : tensor<16xbf16>, tensor<16xf32>
  %y, %dout = kern.rowwise kernel "angles.rowwise0"(%out, %dy) maps [row, row] {
  ^bb0(%a: tensor<16xf32>, %g: tensor<16xf32>):
    %half = arith.constant dense<5.000000e-01> : tensor<16xf32>
    %angle = arith.mulf %a, %half : tensor<16xf32>
    %sin = math.sin %angle : tensor<16xf32>
    %cos = math.cos %angle : tensor<16xf32>
    %d = arith.mulf %g, %cos : tensor<16xf32>
    kern.yield %sin, %d : tensor<16xf32>, tensor<16xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  // CHECK: seq.mixer_grad {{.*}} states %[[STATES]] {{.*}} exact : tensor<2x8x16xf32>
  %dq, %dk, %dv = seq.mixer_grad %dout, %x, %x, %x states %states heads 2 key_heads 2 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x2x1x64xf32> -> tensor<2x8x16xf32>
  return %y, %dv : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
