// A mixer with many heads of a few columns: named, and lowered with a thread for each key column of each head. Operands may
// be columns of wider rows, and results, too: strides are those of the wider rows.
// RUN: stretto-opt %s --kern-name-cuda-kernels | FileCheck %s --check-prefix=NAMES
// RUN: stretto-opt %s --kern-name-cuda-kernels --kern-lower-cuda-kernels | FileCheck %s

// NAMES: seq.mixer {{.*}} {kern.kernel = "columns.mixer0"}
// NAMES-NOT: kern.kernel
// CHECK-LABEL: llvm.func @columns_mixer0
// CHECK-SAME: kern.block = 32 : i64
// CHECK-SAME: kern.grid = array<i64: 3, 3>
// CHECK-DAG: llvm.mlir.constant(210 : i64)
// CHECK-DAG: llvm.mlir.constant(140 : i64)
func.func @columns(%wide: tensor<3x100x210xf32>, %decay: tensor<70xf32>) -> tensor<3x100x140xf32> {
  %q = seq.slice %wide at 0 : tensor<3x100x210xf32> -> tensor<3x100x70xf32>
  %k = seq.slice %wide at 70 : tensor<3x100x210xf32> -> tensor<3x100x70xf32>
  %v = seq.slice %wide at 140 : tensor<3x100x210xf32> -> tensor<3x100x70xf32>
  %o = seq.mixer %q, %k, %v decay %decay : tensor<70xf32> heads 70 key_heads 70 scale 1.0 segment 256 : tensor<3x100x70xf32>, tensor<3x100x70xf32>
  %both = seq.concat %o, %q : tensor<3x100x70xf32>, tensor<3x100x70xf32> -> tensor<3x100x140xf32>
  return %both : tensor<3x100x140xf32>
}

// Few heads stay with what they were.
func.func @few(%q: tensor<3x100x15xf32>) -> tensor<3x100x15xf32> {
  %o = seq.mixer %q, %q, %q heads 15 key_heads 15 scale 1.0 segment 256 : tensor<3x100x15xf32>, tensor<3x100x15xf32>
  return %o : tensor<3x100x15xf32>
}
