// RUN: stretto-opt %s --split-input-file --verify-diagnostics --kern-plan-memory --kern-emit-host | FileCheck %s

// The table of the program has the maps of a kernel: buffer, type and rank, sizes, strides and boxes of up to 5
// dimensions with the last one first, swizzle.
// CHECK-LABEL: llvm.mlir.global internal constant @stretto.tensor_maps() {{.*}} : !llvm.array<1 x struct<(i64, i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)>>
// CHECK-DAG: llvm.mlir.constant(2 : i64)
// CHECK-DAG: llvm.mlir.constant(64 : i64)
// CHECK-DAG: llvm.mlir.constant(12 : i64)
// CHECK: @stretto.kernels
// CHECK: llvm.mlir.addressof @stretto.tensor_maps
module attributes {kern.cpu = "generic", kern.target = "cuda"} {
kern.device_kernel @gradients.embed0 symbol "gradients_embed0" grid [7, 3] block 96 shared 0 registers 103 spills 4
  local 8 bytes_moved 1005 flops 1006 tensor_maps [#kern.tensor_map<buffer 1, f64, sizes [12, 8], strides [64], box [9, 2], swizzle 32>]
seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "gradients.embed0"}
  return
}
}

// -----

module attributes {kern.cpu = "generic", kern.target = "cuda"} {
// expected-error @+1 {{a tensor must lie in the 768 bytes of its buffer, but got #kern.tensor_map<buffer 1, f64, sizes [13, 8]}}
kern.device_kernel @gradients.embed0 symbol "gradients_embed0" grid [7, 3] block 96 shared 0 registers 103 spills 4
  local 8 bytes_moved 1005 flops 1006 tensor_maps [#kern.tensor_map<buffer 1, f64, sizes [13, 8], strides [64], box [9, 2], swizzle 32>]
seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "gradients.embed0"}
  return
}
}

// -----

module attributes {kern.cpu = "generic", kern.target = "cuda"} {
// expected-error @+1 {{a tensor map must be of one of the 3 buffers, but got #kern.tensor_map<buffer 3, }}
kern.device_kernel @gradients.embed0 symbol "gradients_embed0" grid [7, 3] block 96 shared 0 registers 103 spills 4
  local 8 bytes_moved 1005 flops 1006 tensor_maps [#kern.tensor_map<buffer 3, f64, sizes [12, 8], strides [64], box [9, 2], swizzle 32>]
seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "gradients.embed0"}
  return
}
}
