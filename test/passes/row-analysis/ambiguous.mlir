// RUN: stretto-opt %s --seq-print-row-kinds -verify-diagnostics -o /dev/null
// Four sequences of 256 positions: [4, 256] is the taps of a layer or one number per row.

// expected-remark @below {{'tensor<4x256x8xf32>' is row}}
// expected-remark @below {{'tensor<4x256xf32>' is row}}
func.func @scalars(%x: tensor<4x256x8xf32>, %r: tensor<4x256xf32>, %w: tensor<8x8xf32>) -> tensor<4x256x8xf32> {
  // expected-remark @above {{'tensor<8x8xf32>' is shared}}
  // expected-remark @below {{'tensor<4x256x8xf32>' is row}}
  %0 = seq.linear %x, %w : tensor<4x256x8xf32>, tensor<8x8xf32> -> tensor<4x256x8xf32>
  // expected-remark @below {{'tensor<4x256x8xf32>' is row}}
  %1 = seq.broadcast %r dims [0, 1] : tensor<4x256xf32> -> tensor<4x256x8xf32>
  // expected-remark @below {{'tensor<4x256x8xf32>' is row}}
  %2 = arith.mulf %0, %1 : tensor<4x256x8xf32>
  return %2 : tensor<4x256x8xf32>
}

// expected-remark @below {{'tensor<4x256x256xf32>' is row}}
// expected-remark @below {{'tensor<4x256xf32>' is shared}}
func.func @taps(%x: tensor<4x256x256xf32>, %c: tensor<4x256xf32>) -> tensor<4x256x256xf32> {
  // expected-remark @below {{'tensor<1024xf32>' is shared}}
  %0 = seq.reshape %c : tensor<4x256xf32> -> tensor<1024xf32>
  // expected-remark @below {{'tensor<256xf32>' is shared}}
  %1 = seq.slice %0 at 256 : tensor<1024xf32> -> tensor<256xf32>
  // expected-remark @below {{'tensor<4x256x256xf32>' is row}}
  %2 = seq.broadcast %1 dims [2] : tensor<256xf32> -> tensor<4x256x256xf32>
  // expected-remark @below {{'tensor<4x256x256xf32>' is row}}
  %3 = seq.tap %x by -1 : tensor<4x256x256xf32>
  // expected-remark @below {{'tensor<4x256x256xf32>' is row}}
  %4 = arith.mulf %2, %3 : tensor<4x256x256xf32>
  return %4 : tensor<4x256x256xf32>
}

seq.parameter @p parts [#seq.part<"p", 3, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<3x4x8xf32>

// A norm of a weight is a weight, whatever its shape.
// expected-remark @below {{'tensor<8xf32>' is shared}}
func.func @norm(%g: tensor<8xf32>) -> tensor<3x4x8xf32> {
  // expected-remark @below {{'tensor<3x4x8xf32>' is shared}}
  %0 = seq.get_parameter @p : tensor<3x4x8xf32>
  // expected-remark @below {{'tensor<3x4x8xf32>' is shared}}
  %1 = seq.rms_norm %0, %g eps 1.0e-5 heads 1 : tensor<3x4x8xf32>, tensor<8xf32>
  return %1 : tensor<3x4x8xf32>
}
