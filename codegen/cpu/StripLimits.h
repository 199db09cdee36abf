//===- StripLimits.h - which strips of columns suit a CPU ----------------------===//
#pragma once

#include "codegen/rows/Epilogues.h"

namespace stretto::codegen {

/// Rows of a strip that a matmul computes before its epilogue does: panels of the weight are read once for them.
inline constexpr int64_t stripRows = 128;

/// With more columns, rows of a strip and panels of its weight no longer lie in a second-level cache beside what the
/// epilogue reads; with fewer, the left operand is read more often. The tokens of shorter
/// sequences share no block. Sums of 64 terms were slower so, and rows of one strip (docs/performance/cpu-matmuls.md).
inline constexpr EpilogueLimits cpuStrips{/*wantedColumns=*/128, /*mostColumns=*/128, /*leastRows=*/4,
                                          /*leastStrips=*/2, /*leastDepth=*/128};

} // namespace stretto::codegen
