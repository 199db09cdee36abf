// With a decay for each channel, sums of decays of each level of pairs are there once, for pairs that are read and those that erase.
// RUN: stretto-opt %s --kern-expand-mixers | FileCheck %s

// Two for each of six levels, and those of the state: what is read of it, erased and left.
// CHECK-LABEL: func.func @delta
// CHECK: chunk 64
// CHECK-COUNT-15: kern.prefix_sum
// CHECK-NOT: kern.prefix_sum
// CHECK: return
func.func @delta(%q: tensor<2x70x32xbf16>, %v: tensor<2x70x64xbf16>, %g: tensor<2x70x32xf32>, %b: tensor<2x70x2xf32>) -> tensor<2x70x64xbf16> {
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x70x32xf32> beta %b : tensor<2x70x2xf32> heads 2 key_heads 2 scale 0.5 segment 256 : tensor<2x70x32xbf16>, tensor<2x70x64xbf16>
  return %o : tensor<2x70x64xbf16>
}
