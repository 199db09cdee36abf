// What becomes tile programs, how it is cut, and what stays with the library.
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers | FileCheck %s
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers --remarks-filter=kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// WHY: computed by the library: it erases under other keys than it writes
// WHY: computed by the library: its tiles do not fit into shared memory, however it is cut
// WHY: no tile program: with heads of few columns, each key column of each head has a thread

// A small head is one program.
// CHECK-LABEL: func.func @small
// CHECK: kern.walk{{.*}} programs 2 chunk 64 span 2 held {{[0-9]+}} {
// CHECK-NOT: seq.mixer
func.func @small(%q: tensor<2x70x32xbf16>, %v: tensor<2x70x64xbf16>) -> tensor<2x70x64xbf16> {
  %o = seq.mixer %q, %q, %v heads 2 key_heads 2 scale 0.5 segment 256 : tensor<2x70x32xbf16>, tensor<2x70x64xbf16>
  return %o : tensor<2x70x64xbf16>
}

// -----

// A large one is several, each with a part of the value columns.
// CHECK-LABEL: func.func @large
// CHECK: kern.walk{{.*}} windows [<rows 1>, <rows 1>, <rows 4>] -> [<rows 4>] programs 4 chunk 64 span 2 held {{[0-9]+}} {
func.func @large(%q: tensor<2x70x128xbf16>, %v: tensor<2x70x256xbf16>) -> tensor<2x70x256xbf16> {
  %o = seq.mixer %q, %q, %v heads 1 key_heads 1 scale 0.5 segment 256 : tensor<2x70x128xbf16>, tensor<2x70x256xbf16>
  return %o : tensor<2x70x256xbf16>
}

// -----

// CHECK-LABEL: func.func @other_key
// CHECK: seq.mixer
func.func @other_key(%q: tensor<2x70x32xf32>, %v: tensor<2x70x64xf32>) -> tensor<2x70x64xf32> {
  %o = seq.mixer %q, %q, %v erase %q : tensor<2x70x32xf32> erase_write %q : tensor<2x70x32xf32> heads 2 key_heads 2 scale 0.5 segment 256 : tensor<2x70x32xf32>, tensor<2x70x64xf32>
  return %o : tensor<2x70x64xf32>
}

// -----

// Tiles of 32 x 512 in f64 are more than shared memory holds.
// CHECK-LABEL: func.func @too_wide
// CHECK: seq.mixer
func.func @too_wide(%q: tensor<2x70x512xf64>, %g: tensor<2x70x512xf64>, %v: tensor<2x70x64xf64>) -> tensor<2x70x64xf64> {
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x70x512xf64> heads 1 key_heads 1 scale 0.5 segment 256 : tensor<2x70x512xf64>, tensor<2x70x64xf64>
  return %o : tensor<2x70x64xf64>
}

// -----

// Many heads of a few columns have a kernel of their own, with any eraser.
// CHECK-LABEL: func.func @narrow
// CHECK: seq.mixer
func.func @narrow(%q: tensor<2x70x16xf32>, %v: tensor<2x70x32xf32>) -> tensor<2x70x32xf32> {
  %o = seq.mixer %q, %q, %v erase %q : tensor<2x70x16xf32> erase_write %q : tensor<2x70x16xf32> heads 16 key_heads 16 scale 0.5 segment 256 : tensor<2x70x16xf32>, tensor<2x70x32xf32>
  return %o : tensor<2x70x32xf32>
}
