// RUN: stretto-opt %s --seq-simplify-arithmetic --canonicalize | FileCheck %s

// A term that is no product comes first; the others keep their order, and each is added as soon as it is known.
// CHECK-LABEL: func @order
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[A:.*]] = arith.addf %arg3, %[[XY]]
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[YZ]]
// CHECK: %[[XZ:.*]] = arith.mulf %arg0, %arg2
// CHECK: %[[C:.*]] = arith.addf %[[B]], %[[XZ]]
// CHECK: return %[[C]]
func.func @order(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %yz = arith.mulf %y, %z : tensor<2x8x16xf32>
  %xz = arith.mulf %x, %z : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %yz : tensor<2x8x16xf32>
  %1 = arith.addf %0, %v : tensor<2x8x16xf32>
  %2 = arith.addf %1, %xz : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// So it is where the products are a sum of their own.
// CHECK-LABEL: func @order_of_tree
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[A:.*]] = arith.addf %arg3, %[[XY]]
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: arith.addf %[[A]], %[[YZ]]
func.func @order_of_tree(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %yz = arith.mulf %y, %z : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %yz : tensor<2x8x16xf32>
  %1 = arith.addf %v, %0 : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// A product that something else reads is computed in any case.
// CHECK-LABEL: func @product_of_two_readers
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: arith.addf %[[XY]], %[[YZ]]
func.func @product_of_two_readers(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %yz = arith.mulf %y, %z : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %yz : tensor<2x8x16xf32>
  %1 = arith.addf %0, %z : tensor<2x8x16xf32>
  return %1, %xy : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// What products share is a factor of their sum.
// CHECK-LABEL: func @shared_factor
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: %[[S:.*]] = arith.addf %arg3, %[[YZ]]
// CHECK: %[[P:.*]] = arith.mulf %arg0, %[[S]]
// CHECK: return %[[P]]
func.func @shared_factor(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
  %vx = arith.mulf %v, %x : tensor<2x8x16xf32>
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %xyz = arith.mulf %xy, %z : tensor<2x8x16xf32>
  %0 = arith.addf %vx, %xyz : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// What is left uses a product that is there, of the same two factors.
// CHECK-LABEL: func @known_products
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[A:.*]] = arith.mulf %[[XY]], %arg2
// CHECK: %[[B:.*]] = arith.addf %arg2, %[[A]]
// CHECK: %[[C:.*]] = arith.mulf %arg3, %[[B]]
// CHECK: %[[XX:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[D:.*]] = arith.addf %arg2, %[[XX]]
// CHECK: %[[E:.*]] = arith.mulf %arg3, %[[D]]
// CHECK: return %{{.*}}, %[[C]], %[[E]]
func.func @known_products(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %exp = math.exp %xy : tensor<2x8x16xf32>
  %vz = arith.mulf %v, %z : tensor<2x8x16xf32>
  %vy = arith.mulf %v, %y : tensor<2x8x16xf32>
  %xz = arith.mulf %x, %z : tensor<2x8x16xf32>
  %vyxz = arith.mulf %vy, %xz : tensor<2x8x16xf32>
  %0 = arith.addf %vz, %vyxz : tensor<2x8x16xf32>
  %zv = arith.mulf %z, %v : tensor<2x8x16xf32>
  %vx = arith.mulf %v, %x : tensor<2x8x16xf32>
  %vxx = arith.mulf %vx, %x : tensor<2x8x16xf32>
  %1 = arith.addf %zv, %vxx : tensor<2x8x16xf32>
  return %exp, %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// With two factors each, as many operations would be left.
// CHECK-LABEL: func @nothing_to_gain
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[XZ:.*]] = arith.mulf %arg0, %arg2
// CHECK: arith.addf %[[XY]], %[[XZ]]
func.func @nothing_to_gain(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %xz = arith.mulf %x, %z : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %xz : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// A term that is a factor of another one is no product itself, in either order.
// CHECK-LABEL: func @factor_alone
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %arg3
// CHECK: arith.addf %arg0, %[[P]]
// CHECK: %[[Q:.*]] = arith.mulf %{{.*}}, %arg3
// CHECK: %[[S:.*]] = arith.addf %[[Q]], %arg0
// CHECK: return %{{.*}}, %[[S]]
func.func @factor_alone(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) attributes {seq.forward = @f} {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %xyz = arith.mulf %xy, %z : tensor<2x8x16xf32>
  %p = arith.mulf %xyz, %v : tensor<2x8x16xf32>
  %0 = arith.addf %x, %p : tensor<2x8x16xf32>
  %xz = arith.mulf %x, %z : tensor<2x8x16xf32>
  %xzz = arith.mulf %xz, %z : tensor<2x8x16xf32>
  %q = arith.mulf %xzz, %v : tensor<2x8x16xf32>
  %1 = arith.addf %q, %x : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// What the forward computes, and its copies, stay as they are.
// CHECK-LABEL: func @forward
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: %[[A:.*]] = arith.addf %[[XY]], %[[YZ]]
// CHECK: arith.addf %[[A]], %arg2
func.func @forward(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %xy = arith.mulf %x, %y {seq.id = 0 : i64} : tensor<2x8x16xf32>
  %yz = arith.mulf %y, %z {seq.id = 1 : i64} : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %yz {seq.id = 2 : i64, seq.recomputed} : tensor<2x8x16xf32>
  %1 = arith.addf %0, %z {seq.id = 3 : i64, seq.recomputed} : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// Nothing is done where there is no backward.
// CHECK-LABEL: func @no_backward
// CHECK: %[[XY:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[YZ:.*]] = arith.mulf %arg1, %arg2
// CHECK: arith.addf %[[XY]], %[[YZ]]
func.func @no_backward(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %xy = arith.mulf %x, %y : tensor<2x8x16xf32>
  %yz = arith.mulf %y, %z : tensor<2x8x16xf32>
  %0 = arith.addf %xy, %yz : tensor<2x8x16xf32>
  %1 = arith.addf %0, %z : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
