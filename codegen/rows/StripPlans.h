//===- StripPlans.h - plans of a kernel, for runs of strips --------------------===//
#pragma once

#include "codegen/rows/RowPlan.h"
#include "ir/kern/KernOps.h"

#include <deque>
#include <memory>

namespace stretto::codegen {

/// The strips of a kernel, in runs that one code computes: where strips differ in what they compute
/// (heads with and without rotary embeddings, say) or in their columns (the last one), another run begins.
class StripPlans {
public:
  struct Run {
    int64_t first, count;
    RowPlan plan;
  };

  /// `isStored`: StripRange.
  StripPlans(kern::MatmulOp op, StripForm form, bool isStored = false)
      : StripPlans(op, MeetingColumns(op, 0), form, isStored) {}
  StripPlans(kern::RowKernel op, MeetingColumns meeting, StripForm form, bool isStored = false);
  /// Whole rows, as one strip.
  explicit StripPlans(kern::RowKernel op) { list.push_back({0, 1, RowPlan(op)}); }

  /// Not of whole rows.
  StripForm form() const { return all->form(); }
  /// How many strips there are.
  int64_t count() const { return list.back().first + list.back().count; }
  const std::deque<Run> &runs() const { return list; }
  /// How many rows before the last one taps bring together with it. A block has at least as many: the first one holds
  /// all that the rows in front of a chunk are computed from.
  int64_t span() const;
  /// Columns of strip `first` of a run that lie in one piece; not of whole rows.
  int64_t columnsOf(const Run &run) const;

private:
  std::unique_ptr<Strips> all;
  std::deque<Run> list;
};

} // namespace stretto::codegen
