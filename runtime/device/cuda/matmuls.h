// Matmuls by cuBLASLt.
//
// The algorithm of a matmul is the first that the library's heuristics name, so that it is the same each time a
// program starts: two algorithms sum in different orders, and choosing the quicker one by a clock would change bits
// from run to run. Of split sums only those are allowed that keep partial sums in float and add them in a pass of their
// own: in place, partial sums would be rounded to the type of C in between.
#pragma once

#include "runtime/device/cuda/layout.h"

#include <cublasLt.h>
#include <map>

namespace stretto::runtime {

class Matmuls {
public:
  // `tf32`: matmuls of floats may round their operands.
  Matmuls(cudaStream_t stream, bool tf32);
  ~Matmuls();
  Matmuls(const Matmuls &) = delete;
  Matmuls &operator=(const Matmuls &) = delete;

  // Chooses the algorithm of each matmul; takes the workspace.
  void reserve(const std::vector<MatmulOp> &ops);
  void run(const MatmulOp &op);
  int64_t workspaceBytes() const { return workspace ? workspaceSize : 0; }

private:
  // What the largest kernels for Hopper want, by cuBLAS's manual.
  static constexpr int64_t workspaceSize = 32 << 20;

  struct Plan {
    cublasLtMatmulDesc_t matmul = nullptr;
    cublasLtMatrixLayout_t first = nullptr, second = nullptr, residual = nullptr, result = nullptr;
    cublasLtMatmulAlgo_t algorithm = {};
    Plan() = default;
    ~Plan();
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
  };
  Plan &planOf(const MatmulOp &op);
  void describe(Plan &plan, const MatmulOp &op) const;
  void choose(Plan &plan, const MatmulOp &op) const;

  cudaStream_t stream;
  bool tf32;
  cublasLtHandle_t handle = nullptr;
  void *workspace = nullptr;
  std::map<MatmulKey, Plan> plans;
};

} // namespace stretto::runtime
