// Where programs leave most of a device without work, sequences are cut into spans, side by side.
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers | FileCheck %s
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers=processors=7 | FileCheck %s --check-prefix=SMALL
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers=span=7 | FileCheck %s --check-prefix=GIVEN
// RUN: stretto-opt %s --split-input-file --kern-expand-mixers --remarks-filter=kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// WHY-COUNT-4: {{Function=.* \| Remark="8 spans of 4 chunks side by side: [0-9]+ us by estimate instead of [0-9]+"}}
// WHY-NOT: spans

// What comes in is multiplied by a factor for each key channel. The walk over the spans has narrow programs. On a small
// device spans are fewer: five of at most seven chunks.
// CHECK-LABEL: func.func @long
// CHECK: %[[ENDS:.*]]:2 = kern.walk(%arg0, %arg1, %arg2) windows [<rows 1>, <rows 1>, <rows 1>] -> [<ends 1 width 64 every 4>, <ends 1 width 1 every 4>] programs 1 chunk 64 span 4 held
// CHECK: %[[BEGINS:.*]] = kern.walk(%[[ENDS]]#0, %[[ENDS]]#1) windows [<states 4 width 16>, <states 1 width 1>] -> [<states 4 width 16>] programs 4 chunk 1 span 8 held
// CHECK: kern.walk(%arg0, %arg0, %arg1, %arg2) from(%[[BEGINS]]) windows [<rows 1>, <rows 1>, <rows 1>, <rows 1>, <states 1 width 64 every 4>] -> [<rows 1>] programs 1 chunk 64 span 4 held
// SMALL-LABEL: func.func @long
// SMALL: kern.walk{{.*}} programs 1 chunk 64 span 5 held
// SMALL: kern.walk{{.*}} programs 4 chunk 1 span 7 held
// SMALL: kern.walk{{.*}} programs 1 chunk 64 span 5 held
// GIVEN-LABEL: func.func @long
// GIVEN: kern.walk{{.*}} programs 1 chunk 64 span 7 held
// GIVEN: kern.walk{{.*}} programs 4 chunk 1 span 5 held
// GIVEN: kern.walk{{.*}} programs 1 chunk 64 span 7 held
func.func @long(%q: tensor<1x2048x64xf32>, %v: tensor<1x2048x64xf32>, %g: tensor<1x2048x1xf32>) -> tensor<1x2048x64xf32> {
  %o = seq.mixer %q, %q, %v decay %g : tensor<1x2048x1xf32> heads 1 key_heads 1 scale 0.5 segment 256 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32>
  return %o : tensor<1x2048x64xf32>
}

// -----

// What comes in is multiplied by a matrix: what the unit matrix, as a state, becomes where nothing is written.
// CHECK-LABEL: func.func @erases
// CHECK: %[[ENDS:.*]] = kern.walk(%arg0, %arg1, %arg2) {{.*}} -> [<ends 1 width 64 every 4>] programs 1 chunk 64 span 4 held
// CHECK: %[[MATRICES:.*]] = kern.walk(%arg0, %arg2) {{.*}} -> [<ends 1 width 64 every 4>] programs 1 chunk 64 span 4 held
// CHECK: kern.program_index
// CHECK: kern.walk(%[[ENDS]], %[[MATRICES]]) windows [<states 4 width 16>, <states 1 width 64>] -> [<states 4 width 16>] programs 4 chunk 1 span 8 held
// CHECK: kern.tile_matmul %{{[^ ]*}}, %{{[^ ]*}} : tensor<64x64xf32>, tensor<64x16xf32> -> tensor<64x16xf32>
// CHECK: kern.walk(%arg0, %arg0, %arg1, %arg2) from
func.func @erases(%q: tensor<1x2048x64xf32>, %v: tensor<1x2048x64xf32>, %b: tensor<1x2048x1xf32>) -> tensor<1x2048x64xf32> {
  %o = seq.mixer %q, %q, %v beta %b : tensor<1x2048x1xf32> heads 1 key_heads 1 scale 0.5 segment 256 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32>
  return %o : tensor<1x2048x64xf32>
}

// -----

// Nothing happens to what comes in.
// CHECK-LABEL: func.func @keeps
// CHECK: %[[ENDS:.*]] = kern.walk(%arg0, %arg1) {{.*}} -> [<ends 1 width 64 every 4>]
// CHECK: kern.walk(%[[ENDS]]) windows [<states 4 width 16>] -> [<states 4 width 16>] programs 4 chunk 1 span 8 held
// CHECK: kern.walk{{.*}} from
func.func @keeps(%q: tensor<1x2048x64xf32>, %v: tensor<1x2048x64xf32>) -> tensor<1x2048x64xf32> {
  %o = seq.mixer %q, %q, %v heads 1 key_heads 1 scale 0.5 segment 256 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32>
  return %o : tensor<1x2048x64xf32>
}

// -----

// The gradient of the state goes the other way, through the transposed matrices.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[ENDS:.*]] = kern.walk(%arg1, %arg1, %arg3, %arg0) {{.*}} -> [<states 1 width 64 every 4>] programs 1 chunk 64 span 4 reverse gradient held
// CHECK: %[[MATRICES:.*]] = kern.walk(%arg1, %arg3) {{.*}} -> [<ends 1 width 64 every 4>] programs 1 chunk 64 span 4 gradient held
// CHECK: %[[BEHIND:.*]] = kern.walk(%[[ENDS]], %[[MATRICES]]) {{.*}} programs 4 chunk 1 span 8 reverse gradient held
// CHECK: kern.tile_matmul %{{[^ ]*}}, %{{[^ ]*}} transpose_a
// CHECK: %[[STATES:.*]] = kern.walk(%arg1, %arg2, %arg3) from(%arg4)
// CHECK: kern.walk(%arg1, %arg1, %arg2, %arg3, %arg0, %[[STATES]]) from(%[[BEHIND]]) {{.*}} programs 1 chunk 64 span 4 reverse gradient held
func.func @gradient(%d: tensor<1x2048x64xf32>, %q: tensor<1x2048x64xf32>, %v: tensor<1x2048x64xf32>, %b: tensor<1x2048x1xf32>, %s: tensor<1x1x8x4096xf32>) -> tensor<1x2048x64xf32> {
  %g:4 = seq.mixer_grad %d, %q, %q, %v beta %b : tensor<1x2048x1xf32> states %s heads 1 key_heads 1 scale 0.5 segment 256 : tensor<1x2048x64xf32>, tensor<1x2048x64xf32>, tensor<1x1x8x4096xf32> -> tensor<1x2048x64xf32> beta tensor<1x2048x1xf32>
  return %g#0 : tensor<1x2048x64xf32>
}

// -----

// A span has at least four chunks.
// CHECK-LABEL: func.func @short
// CHECK-NOT: ends
// CHECK: kern.walk{{.*}} span 7 held
func.func @short(%q: tensor<1x448x64xf32>, %v: tensor<1x448x64xf32>) -> tensor<1x448x64xf32> {
  %o = seq.mixer %q, %q, %v heads 1 key_heads 1 scale 0.5 segment 256 : tensor<1x448x64xf32>, tensor<1x448x64xf32>
  return %o : tensor<1x448x64xf32>
}

// -----

// Twice as many programs would not find room.
// CHECK-LABEL: func.func @many
// CHECK-NOT: ends
// CHECK: kern.walk{{.*}} span 32 held
func.func @many(%q: tensor<67x2048x64xf32>, %v: tensor<67x2048x64xf32>) -> tensor<67x2048x64xf32> {
  %o = seq.mixer %q, %q, %v heads 1 key_heads 1 scale 0.5 segment 256 : tensor<67x2048x64xf32>, tensor<67x2048x64xf32>
  return %o : tensor<67x2048x64xf32>
}
