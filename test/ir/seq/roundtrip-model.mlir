// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

// CHECK: seq.parameter @q parts [#seq.part<"layers.{}.q.weight", 16, <normal, {{.*}}>>] stacked : tensor<4x16x16xf32>
seq.parameter @q parts [#seq.part<"layers.{}.q.weight", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<4x16x16xf32>
// CHECK: seq.parameter @o parts [#seq.part<"layers.{}.o", 16, <normal, {{.*}}, 2.000000e-02 : f64>, <constant, {{.*}}>>] stacked : tensor<2x16xf32>
seq.parameter @o parts [#seq.part<"layers.{}.o", 16, <normal, 0.0 : f64, 0.02 : f64>, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<2x16xf32>
// CHECK: seq.parameter @e parts {{.*}} frozen : tensor<64x16xf32>
seq.parameter @e parts [#seq.part<"embed.weight", 64, <constant, 0.0 : f64, 0.0 : f64>>] frozen : tensor<64x16xf32>
// CHECK: seq.parameter @f parts [#seq.part<"layers.{}.f", 16, <constant, {{.*}}> factors <5.000000e-01 : f64, 1.000000e+00 : f64>, <1.000000e+00 : f64, 0.000000e+00 : f64>>] stacked : tensor<2x16xf32>
seq.parameter @f parts [#seq.part<"layers.{}.f", 16, <constant, 1.0 : f64, 0.0 : f64> factors <0.5 : f64, 1.0 : f64>, <1.0 : f64, 0.0 : f64>>] stacked : tensor<2x16xf32>

func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %g: tensor<16xf32>, %c: tensor<4x16xf32>) -> tensor<2x8x16xf32> {
  %s = arith.constant dense<0.5> : tensor<4xf32>
  %d = arith.constant dense<-0.5> : tensor<2x8x4xf32>
  %b = arith.constant dense<0.5> : tensor<4x6xf32>
  // CHECK: seq.rms_norm %{{.*}}, %{{.*}} eps 1.000000e-05 heads 1 :
  %0 = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  // CHECK: seq.layer_norm
  %1 = seq.layer_norm %0, %g, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  // CHECK: seq.softmax %{{.*}} heads 4 : tensor<2x8x16xf32>
  %soft = seq.softmax %0 heads 4 : tensor<2x8x16xf32>
  // CHECK: seq.keep_top %{{.*}} count 2 heads 4 : tensor<2x8x16xf32>
  %top = seq.keep_top %0 count 2 heads 4 : tensor<2x8x16xf32>
  // CHECK: seq.full 5.000000e-01 : tensor<2x8x16xf32>
  %full = seq.full 0.5 : tensor<2x8x16xf32>
  // CHECK: seq.token_loss %{{.*}} : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %loss = seq.token_loss %full : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  // CHECK: seq.heaviside %{{.*}} : tensor<2x8x16xf32>
  %visits = seq.heaviside %top : tensor<2x8x16xf32>
  // CHECK: seq.batch_mean %{{.*}} : tensor<2x8x16xf32> -> tensor<16xf32>
  %mean = seq.batch_mean %visits : tensor<2x8x16xf32> -> tensor<16xf32>
  // CHECK: seq.stop_gradient %{{.*}} : tensor<16xf32>
  %still = seq.stop_gradient %mean : tensor<16xf32>
  // CHECK: seq.sum %{{.*}} : tensor<2x8x16xf32> -> tensor<2x8x4xf32>
  %sum = seq.sum %soft : tensor<2x8x16xf32> -> tensor<2x8x4xf32>
  // CHECK: seq.canon %{{.*}}, %{{.*}} residual none :
  %2 = seq.canon %1, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  // CHECK: seq.canon %{{.*}}, %{{.*}} bias %{{.*}} : tensor<16xf32> silu :
  %3 = seq.canon %2, %c bias %g : tensor<16xf32> silu : tensor<2x8x16xf32>, tensor<4x16xf32>
  // CHECK: seq.rotary interleaved %{{.*}} heads 4 rotated 4 rotated_heads 2 theta
  %4 = seq.rotary interleaved %3 heads 4 rotated 4 rotated_heads 2 theta 1.0e4 : tensor<2x8x16xf32>
  // CHECK: seq.linear
  %y = seq.linear %4, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.linear %{{.*}}, %{{.*}} add %{{.*}} :
  %5 = seq.linear %4, %w add %y : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.attention %{{.*}} heads 4 kv_heads 4 scale 5.000000e-01 causal
  %6, %lse = seq.attention %5, %5, %5 heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  // CHECK: seq.attention_grad %{{.*}} heads 4 kv_heads 4 scale 5.000000e-01 causal window 3 alibi cap 3.000000e+01 :
  %7, %8, %9 = seq.attention_grad %6, %5, %5, %5, %6, %lse heads 4 kv_heads 4 scale 0.5 causal window 3 alibi cap 30.0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  // CHECK: seq.attention %{{.*}}, %{{.*}}, %{{.*}} sinks %{{.*}} : tensor<4xf32> heads 4 kv_heads 4 scale 5.000000e-01 causal cap 2.500000e+00 : {{.*}} -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
  %r, %sums, %share = seq.attention %5, %5, %5 sinks %s : tensor<4xf32> heads 4 kv_heads 4 scale 0.5 causal cap 2.5 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
  // CHECK: seq.attention %{{.*}} decay %{{.*}} : tensor<2x8x4xf32> heads 4 kv_heads 4 scale 5.000000e-01 causal :
  %f, %of = seq.attention %5, %5, %5 decay %d : tensor<2x8x4xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  // CHECK: seq.attention_grad %{{.*}} decay %{{.*}} : tensor<2x8x4xf32> -> tensor<2x8x4xf32> heads 4
  %dq, %dk, %dv, %dd = seq.attention_grad %f, %5, %5, %5, %f, %of decay %d : tensor<2x8x4xf32> -> tensor<2x8x4xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  // CHECK: seq.attention %{{.*}} bias %{{.*}} : tensor<4x6xf32> heads 4 kv_heads 4 scale 5.000000e-01 causal :
  %n, %on = seq.attention %5, %5, %5 bias %b : tensor<4x6xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  // CHECK: seq.attention_grad %{{.*}} bias %{{.*}} : tensor<4x6xf32> -> tensor<4x6xf32> heads 4
  %eq, %ek, %ev, %eb = seq.attention_grad %n, %5, %5, %5, %n, %on bias %b : tensor<4x6xf32> -> tensor<4x6xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return %7 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @main
func.func @main(%t: tensor<2x8xi32>, %lw: tensor<2x8xf32>, %g: tensor<16xf32>, %c: tensor<4x16xf32>) -> tensor<2x8xf32> {
  %q = seq.get_parameter @q : tensor<4x16x16xf32>
  %e = seq.get_parameter @e : tensor<64x16xf32>
  // CHECK: seq.positions : tensor<2x8xi32>
  %at = seq.positions : tensor<2x8xi32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.scan @layer trips 4 carry(%{{.*}}) slices(%{{.*}}) invariants(%{{.*}}, %{{.*}}) :
  %1 = seq.scan @layer trips 4 carry(%0) slices(%q) invariants(%g, %c) : (tensor<2x8x16xf32>, tensor<4x16x16xf32>, tensor<16xf32>, tensor<4x16xf32>) -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  // CHECK: seq.cross_entropy %{{.*}}, %{{.*}}, %{{.*}} :
  %loss, %d = seq.cross_entropy %2, %t, %lw : tensor<2x8x64xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  // CHECK: seq.cross_entropy %{{.*}} nll_square 1.000000e-04 :
  %loss1, %d1 = seq.cross_entropy %2, %t, %lw nll_square 1.0e-4 : tensor<2x8x64xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  // CHECK: seq.cross_entropy %{{.*}} nll_square 0.000000e+00 z_loss 2.500000e-01 :
  %loss2, %d2 = seq.cross_entropy %2, %t, %lw nll_square 0.0 z_loss 0.25 : tensor<2x8x64xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  // CHECK: seq.predict
  %nll, %p = seq.predict %2, %t : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<2x8xf32>
  // CHECK: seq.linear_input_grad
  %3 = seq.linear_input_grad %d, %e : tensor<2x8x64xf32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.linear_weight_grad
  %4 = seq.linear_weight_grad %d, %1 : tensor<2x8x64xf32>, tensor<2x8x16xf32> -> tensor<64x16xf32>
  // CHECK: seq.embed_grad %{{.*}}, %{{.*}} accumulate %{{.*}} : tensor<64x16xf32> :
  %5 = seq.embed_grad %t, %3 accumulate %4 : tensor<64x16xf32> : tensor<2x8xi32>, tensor<2x8x16xf32> -> tensor<64x16xf32>
  return %nll : tensor<2x8xf32>
}
