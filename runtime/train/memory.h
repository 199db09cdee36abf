// What a run needs in memory against what there is, before anything is allocated; and what the process took.
#pragma once

#include "runtime/core/flat_shard.h"

#include <string>

namespace stretto::runtime {

struct MemoryPlan {
  int64_t activations = 0; // saved values and transients, as far as they find no room among the gradients
  int64_t weights = 0;     // parameters and, where used, their bf16 copy
  int64_t gradients = 0;   // gradients and, where used, their accumulator
  int64_t moments = 0;     // optimizer state
  int64_t rest = 0;        // inputs, outputs, tables, hyper-parameters
  int64_t library = 0;     // beside the arenas: LibTorch, MKL, scratch of kernels; see Device::libraryPeakBytes
  int64_t exchange = 0;    // what ranks add gradients in
  int64_t batches = 0;     // sequences of steps, where they share the memory of the device
  int64_t total() const { return activations + weights + gradients + moments + rest + library + exchange + batches; }
};

// What a run does that its memory depends on.
struct MemoryUse {
  bool accumulate = false;
  FlatShard shard{};    // the part of the optimizer's state that there is; see wholeShard
  int64_t exchange = 0; // bytes; see DataParallel::bytes
  int64_t batches = 0;  // bytes
};

// Bytes that ranks may plan for.
struct MemoryLimit {
  int64_t bytes = 0; // 0: unknown
  int ranks = 1;     // that share them, each with a plan of its own
};

// `library`: what the device holds beside the arenas, once it has made ready for the program.
MemoryPlan planMemory(const stretto_program &program, const MemoryUse &use, int64_t library);

// Bytes this process may still take: the machine's available memory and its control group's limit.
// 0 where neither is known.
int64_t availableMemory();

// Throws Error with the figures and the largest batch that fits.
void checkMemory(const stretto_program &program, const MemoryPlan &plan, const MemoryLimit &limit);

// Throws Error where the sequences of steps, so many bytes, do not fit into what the host has.
void checkBatches(int64_t bytes, const MemoryLimit &limit);

// The most memory that this process had at a time, in bytes: program, libraries and all. On a GPU's machine, of the
// host.
int64_t residentPeak();

// "1.23 GiB"
std::string formatBytes(int64_t bytes);
// One line: the total and its parts.
std::string describePlan(const MemoryPlan &plan);

} // namespace stretto::runtime
