// What matmuls on tensor cores ask for, and where one kernel is estimated to pay.
// DEFINE: %{choose} = stretto-opt %s -remarks-filter=fusion -remark-format=emitRemark -o /dev/null
// RUN: %{choose} -kern-choose-cuda-epilogues 2>&1 | FileCheck %s --check-prefixes=RULES,PAYS
// RUN: %{choose} -kern-choose-cuda-epilogues=where-possible 2>&1 | FileCheck %s --check-prefixes=RULES,POSSIBLE
// RUN: %{choose} -kern-choose-cuda-epilogues=processors=4096 2>&1 | FileCheck %s --check-prefix=PROCESSORS
// RUN: %{choose} -kern-choose-cuda-epilogues="where-possible apart='the chip is another'" 2>&1 | FileCheck %s --check-prefix=APART
// RUN: stretto-opt %s -kern-choose-cuda-epilogues | FileCheck %s --check-prefix=IR

// PAYS: FusedEpilogue{{.*}} Function=many | BytesNotMoved=301989888, {{.*}}NanosecondsApart=2{{[0-9]+}}, NanosecondsFused=1{{[0-9]+}}, Remark="in the epilogue of seq.linear at line
// POSSIBLE: FusedEpilogue{{.*}} Function=many | BytesNotMoved=301989888, {{.*}}Remark=
// PROCESSORS: NotInEpilogue{{.*}} Function=many | Reason="the matmul has fewer tiles (2304) than there are multiprocessors (4096)"
// APART: NotInEpilogue{{.*}} Function=many | Reason="the chip is another"
// IR-LABEL: @many
// IR: seq.linear {{.*}} {kern.epilogue = 0 : i64}
// IR: kern.rowwise
// IR: {kern.epilogue = 0 : i64}
func.func @many(%x: tensor<16x2048x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<16x2048x2304xf32> {
  %0 = seq.linear %x, %w : tensor<16x2048x768xbf16>, tensor<2304x768xbf16> -> tensor<16x2048x2304xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<2304xbf16>):
    %e = arith.extf %row : tensor<2304xbf16> to tensor<2304xf32>
    %t = seq.tap %e by -1 : tensor<2304xf32>
    kern.yield %t : tensor<2304xf32>
  } : (tensor<16x2048x2304xbf16>) -> tensor<16x2048x2304xf32>
  return %1 : tensor<16x2048x2304xf32>
}

// Tiles that nothing follows do not hide their epilogue.
// PAYS: NotInEpilogue{{.*}} Function=some | NanosecondsApart=1{{[0-9]+}}, NanosecondsFused=5{{[0-9]+}}, Reason="one kernel would take {{[0-9.]+}} us, two take {{[0-9.]+}} us, by an estimate"
// POSSIBLE: FusedEpilogue{{.*}} Function=some
// IR-LABEL: @some
// IR-NOT: kern.epilogue
func.func @some(%x: tensor<1x2048x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<1x2048x2304xf32> {
  %0 = seq.linear %x, %w : tensor<1x2048x768xbf16>, tensor<2304x768xbf16> -> tensor<1x2048x2304xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<2304xbf16>):
    %e = arith.extf %row : tensor<2304xbf16> to tensor<2304xf32>
    %a = math.exp %e : tensor<2304xf32>
    %b = math.exp %a : tensor<2304xf32>
    %c0 = math.exp %b : tensor<2304xf32>
    %d0 = math.exp %c0 : tensor<2304xf32>
    %e0 = math.exp %d0 : tensor<2304xf32>
    %f0 = math.exp %e0 : tensor<2304xf32>
    %g0 = math.exp %f0 : tensor<2304xf32>
    %h0 = math.exp %g0 : tensor<2304xf32>
    %i0 = math.exp %h0 : tensor<2304xf32>
    %j0 = math.exp %i0 : tensor<2304xf32>
    %k0 = math.exp %j0 : tensor<2304xf32>
    %l0 = math.exp %k0 : tensor<2304xf32>
    %m0 = math.exp %l0 : tensor<2304xf32>
    %t = seq.tap %m0 by -1 : tensor<2304xf32>
    kern.yield %t : tensor<2304xf32>
  } : (tensor<1x2048x2304xbf16>) -> tensor<1x2048x2304xf32>
  return %1 : tensor<1x2048x2304xf32>
}

// PAYS: NotInEpilogue{{.*}} Function=few | Reason="the matmul has fewer tiles (1) than there are multiprocessors (132)"
// POSSIBLE: FusedEpilogue{{.*}} Function=few
func.func @few(%x: tensor<2x32x64xbf16>, %w: tensor<160x64xbf16>) -> tensor<2x32x2xf32> {
  %0 = seq.linear %x, %w : tensor<2x32x64xbf16>, tensor<160x64xbf16> -> tensor<2x32x160xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<160xbf16>):
    %e = arith.extf %row : tensor<160xbf16> to tensor<160xf32>
    %h = seq.reshape %e : tensor<160xf32> -> tensor<2x80xf32>
    %s = seq.reduce add %h : tensor<2x80xf32> -> tensor<2xf32>
    kern.yield %s : tensor<2xf32>
  } : (tensor<2x32x160xbf16>) -> tensor<2x32x2xf32>
  return %1 : tensor<2x32x2xf32>
}

// The weight as rows is cut at squares of 64 columns: no number of heads of 80 is a multiple of that within a tile.
// RULES: NotInEpilogue{{.*}} Function=squares | Reason="the kernel brings together columns that do not fit a strip of 256, cut at multiples of 64"
func.func @squares(%x: tensor<2x32x64xbf16>, %w: tensor<64x320xbf16>) -> tensor<2x32x4xf32> {
  %0 = seq.linear_input_grad %x, %w : tensor<2x32x64xbf16>, tensor<64x320xbf16> -> tensor<2x32x320xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<320xbf16>):
    %e = arith.extf %row : tensor<320xbf16> to tensor<320xf32>
    %h = seq.reshape %e : tensor<320xf32> -> tensor<4x80xf32>
    %s = seq.reduce add %h : tensor<4x80xf32> -> tensor<4xf32>
    kern.yield %s : tensor<4xf32>
  } : (tensor<2x32x320xbf16>) -> tensor<2x32x4xf32>
  return %1 : tensor<2x32x4xf32>
}

// RULES: NotInEpilogue{{.*}} Function=unaligned | Reason="rows of an operand have 100 numbers, and not a multiple of 8"
func.func @unaligned(%x: tensor<2x32x100xbf16>, %w: tensor<64x100xbf16>) -> tensor<2x32x64xf32> {
  %0 = seq.linear %x, %w : tensor<2x32x100xbf16>, tensor<64x100xbf16> -> tensor<2x32x64xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<64xbf16>):
    %e = arith.extf %row : tensor<64xbf16> to tensor<64xf32>
    %t = seq.tap %e by -1 : tensor<64xf32>
    kern.yield %t : tensor<64xf32>
  } : (tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}

// RULES: NotInEpilogue{{.*}} Function=logits | Reason="the matmul of bf16 gives f32"
func.func @logits(%x: tensor<2x32x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<2x32x64xf32> {
  %0 = seq.linear %x, %w : tensor<2x32x64xbf16>, tensor<64x64xbf16> -> tensor<2x32x64xf32>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<64xf32>):
    %t = seq.tap %row by -1 : tensor<64xf32>
    kern.yield %t : tensor<64xf32>
  } : (tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}

// RULES: NotInEpilogue{{.*}} Function=single | Reason="this target has no matmul with an epilogue for f32"
func.func @single(%x: tensor<2x32x64xf32>, %w: tensor<64x64xf32>) -> tensor<2x32x64xf32> {
  %0 = seq.linear %x, %w : tensor<2x32x64xf32>, tensor<64x64xf32> -> tensor<2x32x64xf32>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<64xf32>):
    %t = seq.tap %row by -1 : tensor<64xf32>
    kern.yield %t : tensor<64xf32>
  } : (tensor<2x32x64xf32>) -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}
