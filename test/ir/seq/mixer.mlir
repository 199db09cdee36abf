// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @all
func.func @all(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x16xf32>, %w: tensor<2x70x4xf32>, %at: tensor<2x70xi32>) -> tensor<2x70x12xf32> {
  // CHECK: seq.mixer %{{.*}}, %{{.*}}, %{{.*}} decay %{{.*}} : tensor<2x70x16xf32> write %{{.*}} : tensor<2x70x4xf32> erase %{{.*}} : tensor<2x70x16xf32> erase_write %{{.*}} : tensor<2x70x16xf32> positions %{{.*}} : tensor<2x70xi32> heads 4 key_heads 2 scale 5.000000e-01 segment 64 read_before : tensor<2x70x8xf32>, tensor<2x70x12xf32> -> tensor<2x4x2x12xf32>
  %o, %s = seq.mixer %q, %q, %v decay %g : tensor<2x70x16xf32> write %w : tensor<2x70x4xf32> erase %g : tensor<2x70x16xf32> erase_write %g : tensor<2x70x16xf32> positions %at : tensor<2x70xi32> heads 4 key_heads 2 scale 0.5 segment 64 read_before : tensor<2x70x8xf32>, tensor<2x70x12xf32> -> tensor<2x4x2x12xf32>
  // CHECK: seq.mixer_grad %{{.*}} decay %{{.*}} write %{{.*}} states %{{.*}} heads 4 key_heads 2 {{.*}} -> tensor<2x70x16xf32> decay tensor<2x70x16xf32> erase_write tensor<2x70x16xf32>
  %dq, %dk, %dv, %dg, %dp = seq.mixer_grad %o, %q, %q, %v decay %g : tensor<2x70x16xf32> write %w : tensor<2x70x4xf32> erase %g : tensor<2x70x16xf32> erase_write %g : tensor<2x70x16xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> decay tensor<2x70x16xf32> erase_write tensor<2x70x16xf32>
  return %dv : tensor<2x70x12xf32>
}

// CHECK-LABEL: func @shared
func.func @shared(%q: tensor<2x3x8xbf16>, %v: tensor<2x3x8xbf16>, %g: tensor<2xf32>, %b: tensor<2x3x2xf32>, %s: tensor<2x8x4xf32>, %at: tensor<2x3xi32>, %n: tensor<2xi32>) -> tensor<2x3x8xbf16> {
  // CHECK: seq.mixer_step %{{.*}} decay %{{.*}} : tensor<2xf32> beta %{{.*}} : tensor<2x3x2xf32> state %{{.*}} at %{{.*}} valid %{{.*}} heads 2 key_heads 2 scale 1.000000e+00 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<2x8x4xf32>, tensor<2x3xi32>, tensor<2xi32>
  %o, %next = seq.mixer_step %q, %q, %v decay %g : tensor<2xf32> beta %b : tensor<2x3x2xf32> state %s at %at valid %n heads 2 key_heads 2 scale 1.0 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<2x8x4xf32>, tensor<2x3xi32>, tensor<2xi32>
  return %o : tensor<2x3x8xbf16>
}
