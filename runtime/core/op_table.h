// All ops in one table: where the buffers of a call are and how far they reach, and what an op is to the user.
#pragma once

#include "runtime/core/arenas.h"

#include <string>
#include <vector>

namespace stretto::runtime {

// Fills in the addresses of a call; throws Error where a buffer does not lie inside its arena.
void resolve(Op &op, const Arenas &arenas);

// Bytes from the first to the last element of a tensor.
int64_t bytesOf(const stretto_tensor &tensor);

// The addresses an op was given, in the order of its launch or argument struct: so a stretto_result numbers them.
std::vector<const void *> buffersOf(const Op &op);

// The largest power of two that divides an address, at most the 16 bytes of the widest access.
int64_t alignmentOf(const void *address);
// Of each of `buffersOf`.
std::vector<int64_t> alignmentsOf(const Op &op);

// Sizes, types and strides: what devices prepare for, and choose by.
using Sizes = std::vector<int64_t>;
Sizes sizesOf(const MatmulOp &op);
Sizes sizesOf(const AttentionOp &op);
Sizes sizesOf(const AttentionGradOp &op);
Sizes sizesOf(const AttentionStepOp &op);
Sizes sizesOf(const LibraryOp &op);

struct OpFacts {
  std::string name;            // "matmul 64 x 64 x 128"
  const char *group;           // what its time is counted under in profiles, null: nowhere
  std::string detail;          // and there among the kernels
  double bytes = 0, flops = 0; // 0: unknown
};
OpFacts factsOf(const Op &op);

// Its name and its place in the source: "kernel 'layer.forward.rowwise0' (a.stretto:7:3)".
std::string describeOp(const Op &op, const CallSite &at);

} // namespace stretto::runtime
