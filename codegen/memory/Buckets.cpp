//===- Buckets.cpp - gradients that ranks exchange together -------------------===//
#include "codegen/memory/Buckets.h"

#include "codegen/memory/Timeline.h"
#include "ir/kern/Attributes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

SmallVector<kern::BucketAttr> stretto::codegen::bucketsOf(ModuleOp module) {
  auto buckets = module->getAttrOfType<ArrayAttr>(kern::bucketsAttr);
  return buckets ? llvm::to_vector(buckets.getAsRange<kern::BucketAttr>()) : SmallVector<kern::BucketAttr>();
}

/// Neighbours without gaps, those of one time together; they cover `bytes`.
static SmallVector<FinalBytes> coverAll(SmallVector<FinalBytes> finals, int64_t bytes) {
  llvm::sort(finals, [](const FinalBytes &a, const FinalBytes &b) { return a.begin < b.begin; });
  SmallVector<FinalBytes> whole;
  for (const FinalBytes &next : finals)
    if (!whole.empty() && whole.back().time == next.time)
      whole.back().end = next.end;
    else
      whole.push_back({whole.empty() ? 0 : whole.back().end, next.end, next.time});
  if (whole.empty())
    return {{0, bytes, 0}};
  whole.back().end = bytes;
  return whole;
}

/// Joins the piece `small` to the neighbour that becomes final next to it.
static void joinNeighbor(SmallVectorImpl<FinalBytes> &pieces, FinalBytes *small) {
  auto distance = [&](FinalBytes *other) { return std::abs(other->time - small->time); };
  bool isFirst = small == pieces.begin(), isLast = std::next(small) == pieces.end();
  FinalBytes *left = isLast || (!isFirst && distance(small - 1) <= distance(small + 1)) ? small - 1 : small;
  FinalBytes *right = left + 1;
  *left = {left->begin, right->end, std::max(left->time, right->time)};
  pieces.erase(right);
}

SmallVector<FinalRows> stretto::codegen::cutIntoBuckets(SmallVector<FinalBytes> finals, int64_t bytes, int64_t rowBytes,
                                                        int64_t leastBytes) {
  SmallVector<FinalBytes> pieces = coverAll(std::move(finals), bytes);
  auto size = [](const FinalBytes &piece) { return piece.end - piece.begin; };
  while (pieces.size() > 1) {
    auto *smallest = llvm::min_element(pieces, [&](auto &a, auto &b) { return size(a) < size(b); });
    if (size(*smallest) >= leastBytes)
      break;
    joinNeighbor(pieces, smallest);
  }
  SmallVector<FinalRows> buckets;
  int64_t first = 0;
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    bool isLast = i + 1 == pieces.size(), isLater = isLast || piece.time > pieces[i + 1].time;
    int64_t end = isLater ? llvm::divideCeil(piece.end, rowBytes) : piece.end / rowBytes;
    if (first < end)
      buckets.push_back({first, end, piece.time});
    first = std::max(first, end);
  }
  llvm::stable_sort(buckets, [](const FinalRows &a, const FinalRows &b) { return a.time < b.time; });
  return buckets;
}

/// The bytes of the gradients that a kern.ready names: in an iteration of a scan, or all entries.
static SmallVector<FinalBytes> bytesOf(kern::ReadyOp op, bool inBody, int64_t iteration, int64_t time,
                                       const passes::ParameterLayout &layout) {
  SmallVector<FinalBytes> bytes;
  for (auto name : op.getParameters().getAsRange<FlatSymbolRefAttr>()) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(op, name);
    passes::ParameterSlot slot = layout.slots.lookup(parameter);
    int64_t entries = parameter.getStacked() ? parameter.getTensorType().getDimSize(0) : 1;
    int64_t ofEntry = passes::alignSlot(passes::byteSize(parameter.getTensorType()) / entries);
    int64_t first = inBody ? iteration : 0, last = inBody ? iteration + 1 : entries;
    for (int64_t i = first; i < last; ++i)
      bytes.push_back({slot.offset + i * slot.stride, slot.offset + i * slot.stride + ofEntry, time});
  }
  return bytes;
}

namespace {
/// Runs an entry point in mind.
class Walk {
public:
  explicit Walk(const passes::ParameterLayout &layout) : layout(layout) {}

  void entry(func::FuncOp function) {
    for (Operation &op : function.getBody().front()) {
      if (auto scan = dyn_cast<seq::ScanOp>(op))
        run(scan);
      else
        operation(&op, false, 0);
    }
  }

  ReadyRuns result;

private:
  void run(seq::ScanOp scan) {
    int64_t trips = scan.getTrips();
    for (int64_t step = 0; step < trips; ++step)
      for (Operation &op : bodyOf(scan).getBody().front())
        operation(&op, true, scan.getReverse() ? trips - 1 - step : step);
  }

  void operation(Operation *op, bool inBody, int64_t iteration) {
    if (auto ready = dyn_cast<kern::ReadyOp>(op)) {
      int64_t time = result.runs.size();
      result.runs.push_back({ready, iteration, result.flops, bytesOf(ready, inBody, iteration, time, layout)});
    }
    auto library = dyn_cast<seq::LibraryOp>(op);
    if (!library || library.getMatmulKind() == seq::MatmulKind::none)
      return;
    result.flops += library.getFlops();
    if (library.getMatmulKind() == seq::MatmulKind::forward)
      result.flopsForward += library.getFlops();
  }

  const passes::ParameterLayout &layout;
};
} // namespace

ReadyRuns stretto::codegen::readyRuns(func::FuncOp entry, const passes::ParameterLayout &layout) {
  Walk walk(layout);
  walk.entry(entry);
  return std::move(walk.result);
}
