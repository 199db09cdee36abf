// RUN: stretto-opt %s --split-input-file --seq-set-segments --verify-diagnostics

func.func @odd(%x: tensor<1x130x8xf32>) -> tensor<1x130x8xf32> {
  // expected-error @+1 {{'seq.mixer' op seq.segment must be a multiple of 64, but got 96 : i64}}
  %o = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> {seq.segment = 96 : i64}
  return %o : tensor<1x130x8xf32>
}

// -----

func.func @no_number(%x: tensor<1x130x8xf32>) -> tensor<1x130x8xf32> {
  // expected-error @+1 {{'seq.mixer' op seq.segment must be a multiple of 64, but got "short"}}
  %o = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> {seq.segment = "short"}
  return %o : tensor<1x130x8xf32>
}

// -----

func.func @other_reader(%x: tensor<1x130x8xf32>) -> tensor<1x1x1x64xf32> {
  // expected-note @+1 {{the mixer}}
  %o, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> -> tensor<1x1x1x64xf32> {seq.segment = 64 : i64}
  // expected-error @+1 {{'arith.addf' op cannot read states of a mixer whose segments change: only seq.mixer_grad can, and a scan that stacks them or reads them by slices}}
  %t = arith.addf %s, %s : tensor<1x1x1x64xf32>
  return %t : tensor<1x1x1x64xf32>
}

// -----

func.func @result(%x: tensor<1x130x8xf32>) -> tensor<1x1x1x64xf32> {
  // expected-note @+1 {{the mixer}}
  %o, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> -> tensor<1x1x1x64xf32> {seq.segment = 64 : i64}
  // expected-error @+1 {{'func.return' op cannot read states}}
  return %s : tensor<1x1x1x64xf32>
}

// -----

func.func private @carried(%s: tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32> {
  return %s : tensor<1x1x1x64xf32>
}
func.func @carry(%x: tensor<1x130x8xf32>) -> tensor<1x130x8xf32> {
  // expected-note @+1 {{the mixer}}
  %o, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> -> tensor<1x1x1x64xf32> {seq.segment = 64 : i64}
  // expected-error @+1 {{'seq.scan' op cannot read states}}
  %t = seq.scan @carried trips 2 carry(%s) slices() invariants() : (tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32>
  return %o : tensor<1x130x8xf32>
}
