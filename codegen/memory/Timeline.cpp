//===- Timeline.cpp - when things happen in one run of an entry point -----===//
#include "codegen/memory/Timeline.h"

#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Cuts the slots of a scan into parts, each given by its first slot and the one behind it. Parts grow with the number
/// of the slot: where stacks of different strides are compared, slots drift apart as fast. A scan and the scan that
/// runs through the same slots the other way have the same parts.
static SmallVector<std::pair<int64_t, int64_t>> partsOf(int64_t trips, bool inEntry) {
  if (!inEntry)
    return {{0, trips}};
  SmallVector<std::pair<int64_t, int64_t>> parts;
  for (int64_t first = 0, next; first < trips; first = next) {
    next = std::min(trips, first + std::max<int64_t>(1, first / 4));
    parts.emplace_back(first, next);
  }
  return parts;
}

Timeline::Timeline(func::FuncOp entry) {
  int64_t duration = number(entry, true);
  place(entry, FunctionRun{0, duration - 1});
}

/// Numbers the operations of a function and of the bodies it calls; returns how long a run of it takes.
int64_t Timeline::number(func::FuncOp function, bool isEntry) {
  order.push_back(function);
  int64_t now = 0;
  for (Operation &op : function.getBody().front()) {
    times[&op] = now;
    if (auto scan = dyn_cast<seq::ScanOp>(op)) {
      func::FuncOp body = passes::bodyOf(scan);
      callers[body] = scan;
      int64_t runs = partsOf(scan.getTrips(), isEntry).size();
      lengths[&op] = runs * number(body, false) + 1;
      now += lengths[&op];
    }
    ++now;
  }
  return durations[function] = now;
}

/// Gives the bodies called from a function their runs.
void Timeline::place(func::FuncOp function, ArrayRef<FunctionRun> places) {
  runsOf[function].assign(places.begin(), places.end());
  for (auto scan : function.getOps<seq::ScanOp>()) {
    func::FuncOp body = passes::bodyOf(scan);
    auto parts = partsOf(scan.getTrips(), !callers.lookup(function));
    if (scan.getReverse())
      std::reverse(parts.begin(), parts.end());
    int64_t duration = durations[body];
    SmallVector<FunctionRun> inner;
    for (const FunctionRun &run : places) {
      int64_t start = begin(scan, run) + 1;
      for (auto [first, next] : parts) {
        inner.push_back({start, start + duration - 1, first, next - 1});
        start += duration;
      }
    }
    place(body, inner);
  }
}
