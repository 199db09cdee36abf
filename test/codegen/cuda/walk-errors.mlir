// RUN: stretto-opt %s --kern-lower-cuda-kernels --split-input-file --verify-diagnostics

func.func @unnamed(%x: tensor<1x16x16xf32>) {
  // expected-error@+1 {{'kern.walk' op needs a kernel name to become code}}
  %y = kern.walk (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%a: tensor<16x16xf32>):
    kern.yield %a : tensor<16x16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  return
}

// -----

func.func @argument(%x: tensor<1x16x24xf32>) {
  // expected-error@+1 {{'kern.walk' op argument 0 of the body must be a tile of at most two dimensions, those of a matrix multiples of 16, to become device code, but got 'tensor<16x24xf32>'}}
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%a: tensor<16x24xf32>):
    kern.yield %a : tensor<16x24xf32>
  } : (tensor<1x16x24xf32>) -> tensor<1x16x24xf32>
  return
}

// -----

func.func @inner(%x: tensor<1x16xf32>) {
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%a: tensor<16xf32>):
    // expected-error@+1 {{'seq.broadcast' op result must be a tile of at most two dimensions, those of a matrix multiples of 16, to become device code, but got 'tensor<16x8xf32>'}}
    %0 = seq.broadcast %a dims [0] : tensor<16xf32> -> tensor<16x8xf32>
    %1 = seq.reduce add %0 : tensor<16x8xf32> -> tensor<16xf32>
    kern.yield %1 : tensor<16xf32>
  } : (tensor<1x16xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @constant(%x: tensor<1x2xf32>) {
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 2 span 1 {
  ^bb0(%a: tensor<2xf32>):
    // expected-error@+1 {{'arith.constant' op must have one value to become device code, but got 'tensor<2xf32>'}}
    %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = arith.addf %a, %0 : tensor<2xf32>
    kern.yield %1 : tensor<2xf32>
  } : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @inverse_of_doubles(%x: tensor<1x16x16xf64>) {
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%a: tensor<16x16xf64>):
    // expected-error@+1 {{'kern.unit_inverse' op must be of f32, with a power of 2 of rows, to become device code, but got 'tensor<16x16xf64>'}}
    %0 = kern.unit_inverse %a : tensor<16x16xf64>
    kern.yield %0 : tensor<16x16xf64>
  } : (tensor<1x16x16xf64>) -> tensor<1x16x16xf64>
  return
}

// -----

func.func @inverse_of_three_squares(%x: tensor<1x48x48xf32>) {
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 48 span 1 {
  ^bb0(%a: tensor<48x48xf32>):
    // expected-error@+1 {{'kern.unit_inverse' op must be of f32, with a power of 2 of rows, to become device code, but got 'tensor<48x48xf32>'}}
    %0 = kern.unit_inverse %a : tensor<48x48xf32>
    kern.yield %0 : tensor<48x48xf32>
  } : (tensor<1x48x48xf32>) -> tensor<1x48x48xf32>
  return
}

// -----

func.func @large(%x: tensor<1x256x256xf32>) {
  // expected-error@+1 {{'kern.walk' op must have tiles that fit into the 232448 bytes of shared memory of a block, but they take 266240}}
  %y = kern.walk kernel "k" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 256 span 1 {
  ^bb0(%a: tensor<256x256xf32>):
    kern.yield %a : tensor<256x256xf32>
  } : (tensor<1x256x256xf32>) -> tensor<1x256x256xf32>
  return
}
