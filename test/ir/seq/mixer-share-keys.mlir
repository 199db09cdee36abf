// Heads beside each other that have the same q and k share them.
// RUN: stretto-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @pairs(
// CHECK-SAME: %[[A:.*]]: tensor<2x7x2xf32>, %[[B:.*]]: tensor<2x7x2xf32>,
// CHECK: %[[Q:.*]] = seq.concat %[[A]], %[[B]] : {{.*}} -> tensor<2x7x4xf32>
// CHECK: seq.mixer %[[Q]], %[[Q]], %{{.*}} heads 4 key_heads 2
func.func @pairs(%a: tensor<2x7x2xf32>, %b: tensor<2x7x2xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %c = seq.concat %a, %a, %b, %b : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %o = seq.mixer %c, %c, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// What q has once and k twice is shared by two.
// CHECK-LABEL: func @different(
// CHECK-SAME: %[[A:.*]]: tensor<2x7x2xf32>, %[[B:.*]]: tensor<2x7x2xf32>,
// CHECK: %[[Q:.*]] = seq.concat %[[A]], %[[A]]
// CHECK: %[[K:.*]] = seq.concat %[[A]], %[[B]]
// CHECK: seq.mixer %[[Q]], %[[K]], %{{.*}} heads 4 key_heads 2
func.func @different(%a: tensor<2x7x2xf32>, %b: tensor<2x7x2xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %q = seq.concat %a, %a, %a, %a : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %k = seq.concat %a, %a, %b, %b : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %o = seq.mixer %q, %k, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// Shared keys that are the same are shared by more heads.
// CHECK-LABEL: func @again(
// CHECK-SAME: %[[A:.*]]: tensor<2x7x4xf32>,
// CHECK: seq.mixer %[[A]], %[[A]], %{{.*}} heads 4 key_heads 1
func.func @again(%a: tensor<2x7x4xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %c = seq.concat %a, %a : tensor<2x7x4xf32>, tensor<2x7x4xf32> -> tensor<2x7x8xf32>
  %o = seq.mixer %c, %c, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// Heads of one column that are spread.
// CHECK-LABEL: func @spread(
// CHECK-SAME: %[[A:.*]]: tensor<2x7x2xf32>,
// CHECK: seq.mixer %[[A]], %[[A]], %{{.*}} heads 4 key_heads 2
func.func @spread(%a: tensor<2x7x2xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %c = seq.spread %a : tensor<2x7x2xf32> -> tensor<2x7x4xf32>
  %o = seq.mixer %c, %c, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x4xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// Heads apart, groups of several sizes, columns within a head, and q or k alone are not.
// CHECK-LABEL: func @not_shared(
// CHECK-COUNT-6: seq.mixer {{.*}} heads 4 key_heads 4
func.func @not_shared(%a: tensor<2x7x2xf32>, %b: tensor<2x7x2xf32>, %v: tensor<2x7x12xf32>, %w: tensor<2x7x8xf32>)
    -> (tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>) {
  %abab = seq.concat %a, %b, %a, %b : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %aaab = seq.concat %a, %a, %a, %b : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %abba = seq.concat %a, %b, %b, %a : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %aaaa = seq.concat %a, %a, %a, %a : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %four = seq.concat %a, %b : tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x4xf32>
  %wide = seq.spread %four : tensor<2x7x4xf32> -> tensor<2x7x8xf32>
  %0 = seq.mixer %abab, %abab, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %1 = seq.mixer %aaab, %aaab, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %2 = seq.mixer %abba, %abba, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %3 = seq.mixer %wide, %wide, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %4 = seq.mixer %w, %aaaa, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %5 = seq.mixer %aaaa, %w, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
}
