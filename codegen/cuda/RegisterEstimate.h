//===- RegisterEstimate.h - what a thread holds from row to row -----------===//
#pragma once

#include "codegen/rows/RowPlan.h"

namespace stretto::codegen {

/// Numbers that a thread holds for each column of its vectors, and for itself.
struct HeldValues {
  int64_t rolling = 0;      // rows that are read later
  int64_t longest = 0;      // of one value among them
  int64_t reach = 0;        // rows over which they wait at most
  int64_t sums = 0;         // sums of columns
  int64_t coefficients = 0; // what is the same for each row
  int64_t working = 0;      // at once while a row is computed
  double waiting = 0;       // from one stage to a later one, of all rows of a step at once; but for what is loaded
  int64_t againBytes = 0;   // of rows that are loaded once more, as they do not wait
  int64_t loadedBytes = 0;  // of these, and of what each row brings anew from memory; tables come from caches
  int64_t tableBytes = 0;   // of these
  int64_t fetchedBytes = 0; // of both, but for rows that the kernel itself computes
  int64_t commonBytes = 0;  // of these, of what is the same for each head
  /// Of those, what stays while rows are computed.
  int64_t lasting() const { return rolling + sums + coefficients; }
};

HeldValues estimateHeld(const RowPlan &plan, llvm::ArrayRef<RowPhase> phases);

} // namespace stretto::codegen
