// Kernels that add up many columns walk strips of these; an override decides otherwise.
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3 kept-bytes=768" | FileCheck %s
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3" | FileCheck %s --check-prefix=WHOLE
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3 kept-bytes=768" -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3 overrides=gated:strip=40" -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3 overrides=gated:strip=192" -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=rotary:strip=40" 2>&1 | FileCheck %s --check-prefix=MEET
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=reduced:strip=64" 2>&1 | FileCheck %s --check-prefix=REDUCED
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=taps:strip=64" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=gated:block=64" 2>&1 | FileCheck %s --check-prefix=BLOCK
// WHOLE-NOT: strip
// MEET: error: kernel 'rotary': strip must be a number of columns that meet no others, but got 40
// REDUCED: error: kernel 'reduced': strip must be a number of columns that meet no others, but got 64
// NOTHING: error: kernel 'taps': strip must be left out where no columns are added up, but got 64
// BLOCK: error: kernel 'gated': block must be left out where there is no matmul, but got 64

// Taps and sums are 768 bytes each: three strips, in which the two halves meet.
// CHECK: kernel "gated"{{.*}} schedule #kern.vector_schedule<rows 2, lanes 8, chunk 64, pieces 2, strip 32>
// REMARK: walks blocks of rows{{.*}}strips=3
// ALL: walks blocks of rows{{.*}}strips=1
// ALL: Function=gated | Remark="given: strip 192; chosen: rows 2, lanes 8, chunk {{[0-9]+}}"
// GIVEN: Function=gated | Remark="given: strip 40; chosen: rows 2, lanes 8, chunk 64"
func.func @gated(%x: tensor<8x64x192xf32>, %w: tensor<192xf32>) -> (tensor<8x64x96xf32>, tensor<192xf32>) {
  %0:2 = kern.rowwise kernel "gated"(%x, %w) maps [row, shared] {
  ^bb0(%a: tensor<192xf32>, %b: tensor<192xf32>):
    %t = seq.tap %a by -1 : tensor<192xf32>
    %p = arith.mulf %t, %b : tensor<192xf32>
    %g = seq.slice %p at 0 : tensor<192xf32> -> tensor<96xf32>
    %u = seq.slice %p at 96 : tensor<192xf32> -> tensor<96xf32>
    %m = arith.mulf %g, %u : tensor<96xf32>
    %s = seq.column_sum %p : tensor<192xf32> -> tensor<192xf32>
    kern.yield %m, %s : tensor<96xf32>, tensor<192xf32>
  } : (tensor<8x64x192xf32>, tensor<192xf32>) -> (tensor<8x64x96xf32>, tensor<192xf32>)
  return %0#0, %0#1 : tensor<8x64x96xf32>, tensor<192xf32>
}

// Columns of a head meet, be it by way of another operand than the one that is cut: strips are whole heads.
// CHECK: kernel "rotary"{{.*}} schedule #kern.vector_schedule<rows 2, lanes 8, chunk 64, pieces 1, strip 64>
func.func @rotary(%x: tensor<8x64x192xf32>, %d: tensor<8x64x192xf32>) -> (tensor<8x64x192xf32>, tensor<384xf32>) {
  %0:2 = kern.rowwise kernel "rotary"(%x, %d) maps [row, row] {
  ^bb0(%a: tensor<192xf32>, %b: tensor<192xf32>):
    %h = seq.reshape %b : tensor<192xf32> -> tensor<3x64xf32>
    %r = seq.permute half_split %h rotated 64 : tensor<3x64xf32>
    %f = seq.reshape %r : tensor<3x64xf32> -> tensor<192xf32>
    %o = arith.addf %f, %b : tensor<192xf32>
    %t = seq.tap %o by 1 : tensor<192xf32>
    %p = arith.mulf %t, %a : tensor<192xf32>
    %c = seq.concat %p, %a : tensor<192xf32>, tensor<192xf32> -> tensor<384xf32>
    %s = seq.column_sum %c : tensor<384xf32> -> tensor<384xf32>
    kern.yield %o, %s : tensor<192xf32>, tensor<384xf32>
  } : (tensor<8x64x192xf32>, tensor<8x64x192xf32>) -> (tensor<8x64x192xf32>, tensor<384xf32>)
  return %0#0, %0#1 : tensor<8x64x192xf32>, tensor<384xf32>
}

// A reduction of rows brings all of its columns together.
// CHECK: kernel "reduced"{{.*}} schedule #kern.vector_schedule<rows 1, lanes 8, chunk {{[0-9]+}}>
func.func @reduced(%x: tensor<8x64x384xf32>) -> (tensor<8x64xf32>, tensor<384xf32>) {
  %0:2 = kern.rowwise kernel "reduced"(%x) maps [row] {
  ^bb0(%a: tensor<384xf32>):
    %r = seq.reduce add %a : tensor<384xf32> -> tensor<f32>
    %s = seq.column_sum %a : tensor<384xf32> -> tensor<384xf32>
    kern.yield %r, %s : tensor<f32>, tensor<384xf32>
  } : (tensor<8x64x384xf32>) -> (tensor<8x64xf32>, tensor<384xf32>)
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<384xf32>
}

// Nothing is added up: what blocks read again are taps alone.
// CHECK: kernel "taps"{{.*}} schedule #kern.vector_schedule<rows 2, lanes 8, chunk {{[0-9]+}}>
func.func @taps(%x: tensor<8x64x192xf32>, %w: tensor<192xf32>) -> tensor<8x64x192xf32> {
  %0 = kern.rowwise kernel "taps"(%x, %w) maps [row, shared] {
  ^bb0(%a: tensor<192xf32>, %b: tensor<192xf32>):
    %t = seq.tap %a by -1 : tensor<192xf32>
    %p = arith.mulf %t, %b : tensor<192xf32>
    kern.yield %p : tensor<192xf32>
  } : (tensor<8x64x192xf32>, tensor<192xf32>) -> tensor<8x64x192xf32>
  return %0 : tensor<8x64x192xf32>
}
