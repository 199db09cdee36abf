// RUN: stretto-opt %s --split-input-file --verify-diagnostics --seq-add-loss

// Logits that know what comes behind a token; what is added to the loss may.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // expected-warning @+1 {{the mean over a batch shows each token the next one, which the model is trained to predict: losses and scores tell nothing}}
  %mean = seq.batch_mean %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  %means = seq.broadcast %mean dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %1 = arith.subf %0, %means : tensor<2x8x16xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %3 = seq.sum %1 : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  return %2, %3 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}

// -----

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-warning @+1 {{attention with causal = false shows each token the next one}}
  %0, %lse = seq.attention %x, %x, %x heads 1 kv_heads 1 scale 1.0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x1x8xf32>
  return %0 : tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.scan @layers trips 2 carry(%0) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %only_added, %lse = seq.attention %1, %1, %1 heads 1 kv_heads 1 scale 1.0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x1x8xf32>
  %mean = seq.batch_mean %only_added : tensor<2x8x16xf32> -> tensor<16xf32>
  %means = seq.broadcast %mean dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %3 = seq.sum %means : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  return %2, %3 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}

// -----

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // expected-warning @+1 {{attention with causal = false shows each token the next one, which next_token_loss is of: that loss may tell nothing}}
  %1, %lse = seq.attention %0, %0, %0 heads 1 kv_heads 1 scale 1.0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x1x8xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %3 = seq.token_loss %2 : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %4 = seq.linear %0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %4, %3 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}
