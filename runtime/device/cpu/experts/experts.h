// Matmuls of experts on the CPU: rows of one expert are brought together, multiplied by its weight, and taken back.
// What they compute is said at seq.expert_linear and seq.expert_sum (ir/seq/SeqExpertOps.td).
#pragma once

#include "runtime/core/matmul_shape.h"
#include "runtime/device/cpu/experts/routes.h"

#include <cstdint>
#include <vector>

namespace stretto::runtime::experts {

// What all of them have. A token has a `whole` row, and in `parts` a part for each expert that it goes to.
struct Operands {
  int64_t rows = 0, chosen = 1;
  Rows gates; // in f64, or f32
  Rows whole, parts;
  // Weights of all experts, one below the other, each [out, in] as in seq.linear, where `in` is the whole row or a part
  // of the others.
  Rows weights;
  bool wholeIsIn = true;
};

// Writes parts, and zeros where a row goes to fewer experts: whole rows times weights.
struct ToParts : Operands {
  // For the gradient of a sum by gates, else null: parts are multiplied by gates, and `dgates` are their inner products
  // with `with` before that.
  Rows with, dgates;
};

// Writes whole rows: the sum of parts times weights, multiplied by gates if `weighted`.
struct ToWhole : Operands {
  bool weighted = false;
};

// Writes weights, or adds to them if it `accumulates`: their gradients, of rows multiplied by gates if `weighted`.
struct WeightGrad : Operands {
  bool weighted = false, accumulates = false;
};

// Bytes of scratch that each thread needs, a multiple of 64.
int64_t scratchBytes(const ToParts &op);
int64_t scratchBytes(const ToWhole &op);
int64_t scratchBytes(const WeightGrad &op);

// The matmuls that threads compute for it, where experts have as many rows as a thread takes, and where they have few.
std::vector<MatmulShape> matmulsOf(const ToParts &op);
std::vector<MatmulShape> matmulsOf(const ToWhole &op);
std::vector<MatmulShape> matmulsOf(const WeightGrad &op);

// `scratch`: that of all threads, one behind the other. Bits do not depend on the number of threads.
void run(const ToParts &op, char *scratch);
void run(const ToWhole &op, char *scratch);
void run(const WeightGrad &op, char *scratch);

} // namespace stretto::runtime::experts
