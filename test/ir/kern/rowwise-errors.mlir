// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @sum(%x: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%a: tensor<32xf32>):
    // expected-error @+1 {{may only be yielded}}
    %0 = seq.column_sum %a : tensor<32xf32> -> tensor<32xf32>
    // expected-note @+1 {{read here}}
    %1 = math.exp %0 : tensor<32xf32>
    kern.yield %1 : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  return %y : tensor<1x16x32xf32>
}

// -----

func.func private @other(tensor<32xf32>) -> tensor<32xf32>
func.func @call(%x: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%a: tensor<32xf32>):
    // expected-error @+1 {{is not a row operation}}
    %0 = func.call @other(%a) : (tensor<32xf32>) -> tensor<32xf32>
    kern.yield %0 : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  return %y : tensor<1x16x32xf32>
}

// -----

func.func @number(%x: tensor<f32>) {
  // expected-error @+1 {{body argument 0 must be what one row sees of 'tensor<f32>', but got 'tensor<32xf32>'}}
  %y = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%a: tensor<32xf32>):
    kern.yield %a : tensor<32xf32>
  } : (tensor<f32>) -> tensor<1x16x32xf32>
  return
}
