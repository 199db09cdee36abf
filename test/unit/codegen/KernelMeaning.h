//===- KernelMeaning.h - what the operation of a kernel means, slowly -----------===//
#pragma once

#include "RowInterpreter.h"

namespace stretto::test {

/// Results, in double precision, of an operation that becomes a CUDA kernel, for operands in row-major order; of a
/// column sum the whole sum.
std::vector<Numbers> meaning(mlir::Operation *op, const std::vector<Numbers> &inputs, Reals reals = Reals::exact);

/// The saved states that belong to the other operands of a gradient.
Numbers statesBefore(seq::MixerGradOp op, const std::vector<Numbers> &inputs);

/// Adds entries of as many numbers as `sum` has to it.
Numbers sumEntries(const Numbers &entries, Numbers sum);

} // namespace stretto::test
