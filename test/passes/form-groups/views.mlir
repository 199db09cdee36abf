// RUN: stretto-opt %s --kern-form-groups --kern-outline-groups | FileCheck %s

// Attention reads queries, keys and values where the matmul wrote them.
// CHECK-LABEL: func @ranges
// CHECK-NOT: kern.rowwise
func.func @ranges(%x: tensor<2x8x16xf32>, %w: tensor<48x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<48x16xf32> -> tensor<2x8x48xf32>
  %q = seq.slice %0 at 0 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %k = seq.slice %0 at 16 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %v = seq.slice %0 at 32 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.attention %{{.*}}, %{{.*}}, %{{.*}} heads
  %o, %lse = seq.attention %q, %k, %v heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return %o : tensor<2x8x16xf32>
}

// Attention writes its gradients side by side: there is nothing to compute.
// CHECK-LABEL: func @joined
// CHECK: seq.concat
// CHECK-NOT: kern.rowwise
func.func @joined(%g: tensor<2x8x16xf32>, %q: tensor<2x8x16xf32>, %lse: tensor<2x4x8xf32>, %w: tensor<48x16xf32>) -> tensor<2x8x16xf32> {
  %dq, %dk, %dv = seq.attention_grad %g, %q, %q, %q, %g, %lse heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  %0 = seq.concat %dq, %dk, %dv : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x48xf32>
  %1 = seq.linear_input_grad %0, %w : tensor<2x8x48xf32>, tensor<48x16xf32> -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// What has pieces computed by rows is joined in their kernel; a library's piece is copied there.
// CHECK-LABEL: func @computed
// CHECK: kern.rowwise kernel "computed.rowwise0"(%{{.*}}, %{{.*}}) maps [row, row]
// CHECK: seq.slice
// CHECK: seq.concat
// CHECK: kern.yield %{{[^,]*}} : tensor<48xf32>
func.func @computed(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %z: tensor<48x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1 = seq.slice %0 at 16 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
  %2 = math.tanh %1 : tensor<2x8x16xf32>
  %3 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %4 = seq.concat %2, %3 : tensor<2x8x16xf32>, tensor<2x8x32xf32> -> tensor<2x8x48xf32>
  %5 = seq.linear_input_grad %4, %z : tensor<2x8x48xf32>, tensor<48x16xf32> -> tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}
