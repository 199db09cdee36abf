//===- Buckets.cpp - gradients that ranks exchange together -------------------===//
#include "codegen/memory/Buckets.h"

#include "codegen/memory/Timeline.h"
#include "ir/kern/Attributes.h"
#include "passes/support/Scans.h"

#include <map>
#include <set>

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

namespace {
/// Pieces in a row, of which the smallest ones join a neighbour: there may be one for each trip of a long scan.
class JoinedPieces {
public:
  explicit JoinedPieces(ArrayRef<FinalBytes> list) {
    for (const FinalBytes &piece : list)
      insert(pieces.insert(pieces.end(), {pieces.size(), piece}));
  }

  size_t count() const { return pieces.size(); }
  int64_t leastBytes() const { return bySize.begin()->first; }

  /// Joins the smallest piece, of several the first, to the neighbour that becomes final next to it.
  void joinSmallest() {
    auto small = pieces.find(bySize.begin()->second), behind = std::next(small);
    auto distance = [&](Pieces::iterator other) { return std::abs(other->second.time - small->second.time); };
    bool isFirst = small == pieces.begin(), isLast = behind == pieces.end();
    bool goesLeft = isLast || (!isFirst && distance(std::prev(small)) <= distance(behind));
    auto left = goesLeft ? std::prev(small) : small, right = std::next(left);
    bySize.erase(keyOf(left));
    bySize.erase(keyOf(right));
    left->second.end = right->second.end;
    left->second.time = std::max(left->second.time, right->second.time);
    pieces.erase(right);
    insert(left);
  }

  SmallVector<FinalBytes> take() const { return llvm::to_vector(llvm::make_second_range(pieces)); }

private:
  using Pieces = std::map<size_t, FinalBytes>; // by their places in the list

  static std::pair<int64_t, size_t> keyOf(Pieces::iterator piece) {
    return {piece->second.end - piece->second.begin, piece->first};
  }
  void insert(Pieces::iterator piece) { bySize.insert(keyOf(piece)); }

  Pieces pieces;
  std::set<std::pair<int64_t, size_t>> bySize; // their bytes and places
};
} // namespace

SmallVector<FinalRows> stretto::codegen::cutIntoBuckets(SmallVector<FinalBytes> finals, int64_t bytes, int64_t rowBytes,
                                                        int64_t leastBytes) {
  JoinedPieces joined(coverAll(std::move(finals), bytes));
  while (joined.count() > 1 && joined.leastBytes() < leastBytes)
    joined.joinSmallest();
  SmallVector<FinalBytes> pieces = joined.take();
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

namespace {
/// Where the gradients of a parameter lie.
struct Entries {
  passes::ParameterSlot slot;
  int64_t count, bytes; // of one
};

/// What an operation does of what is looked for: it says that gradients are final, or it multiplies.
struct Event {
  kern::ReadyOp ready; // null: it multiplies
  SmallVector<Entries, 0> gradients;
  double flops;
  bool isForward;
};

/// Runs an entry point in mind.
class Walk {
public:
  explicit Walk(const passes::ParameterLayout &layout) : layout(layout) {}

  void entry(func::FuncOp function) {
    for (Operation &op : function.getBody().front()) {
      if (auto scan = dyn_cast<seq::ScanOp>(op))
        run(scan);
      else if (std::optional<Event> event = eventOf(&op))
        happen(*event, false, 0);
    }
  }

  ReadyRuns result;

private:
  void run(seq::ScanOp scan) {
    SmallVector<Event, 0> events; // of an iteration
    for (Operation &op : passes::bodyOf(scan).getBody().front())
      if (std::optional<Event> event = eventOf(&op))
        events.push_back(std::move(*event));
    int64_t trips = events.empty() ? 0 : scan.getTrips();
    for (int64_t step = 0; step < trips; ++step)
      for (const Event &event : events)
        happen(event, true, scan.getIteration(step));
  }

  std::optional<Event> eventOf(Operation *op) {
    if (auto ready = dyn_cast<kern::ReadyOp>(op))
      return Event{ready, gradientsOf(ready), 0, false};
    auto library = dyn_cast<seq::LibraryOp>(op);
    if (!library || library.getMatmulKind() == seq::MatmulKind::none)
      return std::nullopt;
    return Event{{}, {}, library.getFlops(), library.getMatmulKind() == seq::MatmulKind::forward};
  }

  SmallVector<Entries, 0> gradientsOf(kern::ReadyOp op) {
    SmallVector<Entries, 0> gradients;
    for (auto name : op.getParameters().getAsRange<FlatSymbolRefAttr>()) {
      auto parameter = SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(op, name);
      gradients.push_back(
          {layout.slots.lookup(parameter), parameter.getLayers(), passes::alignSlot(passes::entryBytes(parameter))});
    }
    return gradients;
  }

  void happen(const Event &event, bool inBody, int64_t iteration) {
    if (event.ready)
      result.runs.push_back({event.ready, iteration, result.flops, finalBytes(event, inBody, iteration)});
    result.flops += event.flops;
    if (event.isForward)
      result.flopsForward += event.flops;
  }

  /// The bytes of the gradients that a kern.ready names: in an iteration of a scan, or all entries.
  SmallVector<FinalBytes> finalBytes(const Event &event, bool inBody, int64_t iteration) {
    SmallVector<FinalBytes> bytes;
    int64_t time = result.runs.size();
    for (const auto &[slot, count, ofEntry] : event.gradients) {
      int64_t first = inBody ? iteration : 0, last = inBody ? iteration + 1 : count;
      for (int64_t i = first; i < last; ++i)
        bytes.push_back({slot.at(i), slot.at(i) + ofEntry, time});
    }
    return bytes;
  }

  const passes::ParameterLayout &layout;
};
} // namespace

ReadyRuns stretto::codegen::readyRuns(func::FuncOp entry, const passes::ParameterLayout &layout) {
  Walk walk(layout);
  walk.entry(entry);
  return std::move(walk.result);
}
