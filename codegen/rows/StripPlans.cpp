//===- StripPlans.cpp - plans of a kernel, for runs of strips ------------------===//
#include "codegen/rows/StripPlans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

StripPlans::StripPlans(kern::RowKernel op, MeetingColumns meeting, StripForm form, bool isStored)
    : all(std::make_unique<Strips>(std::move(meeting), form)) {
  // The last strip may have fewer columns, of which nothing in the body need know.
  int64_t alike = all->pieceColumns() / form.width;
  for (int64_t first = 0, count; first < all->count(); first += count) {
    count = first < alike ? alike - first : 1;
    auto planOf = [&] { return RowPlan(op, {all.get(), first, count, isStored}); };
    RowPlan plan = planOf();
    for (; plan.stripsAlike() < count; plan = planOf())
      count = plan.stripsAlike();
    list.push_back({first, count, std::move(plan)});
  }
}

int64_t StripPlans::columnsOf(const Run &run) const {
  return std::min(all->form().width, all->pieceColumns() - run.first * all->form().width);
}

int64_t StripPlans::span() const {
  int64_t rows = 0;
  for (const Run &run : list)
    rows = std::max(rows, run.plan.halo().high - run.plan.halo().low);
  return rows;
}
