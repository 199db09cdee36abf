// Last blocks of kernels that are launched in parts, where they have fewer rows than the others.
//
// A kernel knows by the number of a block which one is the last. Launched on a part, its blocks count from 0, so that
// it would go on behind the last row. Its rows are copied to memory that has room for a whole block, and back.
#pragma once

#include "runtime/core/op.h"

#include <cuda_runtime_api.h>
#include <map>
#include <vector>

namespace stretto::runtime {

class LastBlocks {
public:
  LastBlocks() = default;
  ~LastBlocks();
  LastBlocks(const LastBlocks &) = delete;
  LastBlocks &operator=(const LastBlocks &) = delete;

  // Buffers for a launch of the last block of `op` alone, with its rows. They belong to one launch of a kernel at a
  // time; memory for them is taken the first time, which must not be captured.
  std::vector<void *> take(const LaunchOp &op, cudaStream_t stream);
  // After the launch: the rows go back.
  void giveBack(const LaunchOp &op, const std::vector<void *> &buffers, cudaStream_t stream) const;

private:
  std::map<const stretto_kernel *, char *> rooms; // of whole blocks of all buffers, one behind the other
};

// Whether the last block of a kernel that may be launched in parts has fewer rows than the others.
bool isLastBlockShort(const stretto_kernel &kernel);

} // namespace stretto::runtime
