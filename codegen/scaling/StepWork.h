//===- StepWork.h - what a planned program does and holds, as plain numbers -------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::codegen {

/// What limits an operation: arithmetic of a kind, or memory alone.
enum class WorkKind { matmul, attention, mixer, memory };

/// One operation.
struct Work {
  WorkKind kind = WorkKind::memory;
  bool isBackward = false;
  std::string type = "f32"; // of what it multiplies
  double flops = 0;         // of matmuls, attention and mixers
  int64_t bytes = 0;        // read and written
  int64_t runs = 1;
};

/// What a micro-batch does, and what is done with its gradients.
struct StepWork {
  std::vector<Work> forward, backward; // of the way through the operations: a head in chunks belongs to the backward
  std::vector<Work> update;            // squares and AdamW over all parameters: each rank does its part
  std::vector<Work> norm;              // of the sums of squares
  std::vector<Work> round;             // making the bf16 copy of all parameters, where other ranks updated them
  std::vector<Work> accumulate, take;  // adding the gradients of a micro-batch, and reading what was added
};

/// Gradients that become final together: bytes of the trainable part.
struct PlannedBucket {
  int64_t begin = 0, bytes = 0;
  double after = 0; // the part of the backward that comes behind them
};

/// A program: what it holds in memory, and a step of it.
struct PlannedProgram {
  int64_t batch = 0, length = 0;                // of a micro-batch
  int64_t parameterBytes = 0, roundedBytes = 0; // all of them, and their bf16 copy
  int64_t trainableBytes = 0;
  int64_t pieceBytes = 0, sumBytes = 0; // what is not cut of the trainable part, and of the sums of squares of its rows
  std::vector<PlannedBucket> buckets;   // in the order in which they become final; none: all at the end
  int64_t activationBytes = 0;          // gradients, which lie at their start, included
  int64_t factorsBytes = 0;             // of learning rates and weight decays, of which a rank holds its part
  int64_t squaresBytes = 0, otherBytes = 0;
  StepWork work;
};

} // namespace stretto::codegen
