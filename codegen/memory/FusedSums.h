//===- FusedSums.h - sums of partial sums that share a launch ------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace stretto::codegen {

/// The number of the launch of a kern.sum_partials: those of one number in a function become one.
inline constexpr llvm::StringLiteral fusedSumAttr = "kern.fused_sum";

} // namespace stretto::codegen
