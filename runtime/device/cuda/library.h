// Operations of the library on the device, as LibTorch computes them there.
#pragma once

#include "runtime/core/op.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <vector>

namespace stretto::runtime {

class TorchPool;

class Library {
public:
  // `capability`: the major compute capability of the GPU.
  Library(cudaStream_t stream, int capability);
  ~Library();
  // Throws Error for one that no library of the program has.
  void reserve(const std::vector<LibraryOp> &ops);
  void run(const LibraryOp &op);

private:
  cudaStream_t stream;
  int capability;
  std::unique_ptr<TorchPool> pool; // of programs that have such operations
};

} // namespace stretto::runtime
