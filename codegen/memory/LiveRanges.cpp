//===- LiveRanges.cpp - which memory is in use, and when -------------------===//
#include "codegen/memory/LiveRanges.h"

#include "codegen/memory/Views.h"

#include "ir/seq/TensorBytes.h"
#include "passes/support/Scans.h"

#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Bytes from the first to behind the last element of a value.
int64_t extentOf(Value value, const Ref &ref) {
  if (!ref.lead)
    return spanBytes(value);
  int64_t entries = typeOf(value).getDimSize(0);
  return (entries - 1) * ref.lead + bytesOf(value) / entries;
}

class Collector {
public:
  Collector(SlotAssigner &assigner, const Timeline &timeline) : assigner(assigner), timeline(timeline) {}

  void add(Value value, func::FuncOp function) {
    for (const FunctionRun &run : timeline.runs(function))
      addDuring(value, function, run);
  }

  llvm::MapVector<unsigned, SmallVector<Occupation>> take() { return std::move(occupations); }

private:
  void addDuring(Value value, func::FuncOp function, const FunctionRun &run) {
    const Storage &storage = assigner.getStorage();
    Ref own = assigner.refOf(value), ref = storage.resolve(own);
    Interval live = isInvariant(value, function) || ref.parity ? wholeScan(function, run) : during(value, run);
    Occupation occupation{ref.offset, ref.offset, live, ref.stride && !ref.parity};
    if (ref.parity) {
      occupation.from += std::min<int64_t>(ref.stride, 0);
      occupation.to += std::max<int64_t>(ref.stride, 0);
    }
    if (occupation.isSlot) {
      occupation.from += std::min(run.first * ref.stride, run.last * ref.stride);
      occupation.to += std::max(run.first * ref.stride, run.last * ref.stride);
      if (!run.isSingle())
        occupation.live = {run.begin, run.end};
    }
    occupation.to += extentOf(value, own);
    occupations[ref.node].push_back(occupation);
  }

  /// Values every iteration sees, in memory that is not this iteration's own.
  bool isInvariant(Value value, func::FuncOp function) {
    auto argument = dyn_cast<BlockArgument>(value);
    seq::ScanOp caller = timeline.caller(function);
    return argument && caller && caller.isInvariant(argument.getArgNumber());
  }

  /// The span of the scan a run of its body belongs to.
  Interval wholeScan(func::FuncOp body, const FunctionRun &run) {
    seq::ScanOp scan = timeline.caller(body);
    for (const FunctionRun &outer : timeline.runs(scan->getParentOfType<func::FuncOp>()))
      if (timeline.begin(scan, outer) < run.begin && run.end < timeline.end(scan, outer))
        return {timeline.begin(scan, outer), timeline.end(scan, outer)};
    llvm_unreachable("a body runs inside its scan");
  }

  /// From where a value is written to where it is last read. The slots of a stack are written one by one before.
  Interval during(Value value, const FunctionRun &run) {
    Operation *op = value.getDefiningOp();
    int64_t begin = !op ? run.begin : isa<seq::ScanOp>(op) ? timeline.end(op, run) : timeline.begin(op, run);
    int64_t end = begin;
    for (OpOperand &use : value.getUses())
      end = std::max(end, readUntil(use, run, begin));
    return {begin, end};
  }

  /// Invariants are read until the last iteration; so is a carried value that stays the same. Slices are read by the
  /// arguments of the body.
  int64_t readUntil(OpOperand &use, const FunctionRun &run, int64_t begin) {
    auto scan = dyn_cast<seq::ScanOp>(use.getOwner());
    if (!scan)
      return timeline.begin(use.getOwner(), run);
    if (scan.isSlice(use.getOperandNumber()))
      return begin;
    unsigned index = use.getOperandNumber();
    func::FuncOp body = passes::bodyOf(scan);
    bool carried = scan.isCarry(index);
    bool unchanged = carried && body.getBody().front().getTerminator()->getOperand(index) == body.getArgument(index);
    return carried && !unchanged ? timeline.begin(scan, run) : timeline.end(scan, run);
  }

  SlotAssigner &assigner;
  const Timeline &timeline;
  llvm::MapVector<unsigned, SmallVector<Occupation>> occupations;
};

/// The intervals in order, without overlaps.
SmallVector<Interval, 2> merged(SmallVector<Interval, 2> intervals) {
  llvm::sort(intervals);
  SmallVector<Interval, 2> result;
  for (Interval interval : intervals)
    if (!result.empty() && interval.first <= result.back().second + 1)
      result.back().second = std::max(result.back().second, interval.second);
    else
      result.push_back(interval);
  return result;
}
} // namespace

llvm::MapVector<unsigned, SmallVector<Occupation>> stretto::codegen::collectOccupations(SlotAssigner &assigner,
                                                                                        const Timeline &timeline) {
  Collector collector(assigner, timeline);
  for (func::FuncOp function : timeline.functions()) {
    for (BlockArgument argument : function.getArguments())
      collector.add(argument, function);
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults())
        collector.add(result, function);
  }
  return collector.take();
}

SmallVector<LivePiece> stretto::codegen::piecesOf(ArrayRef<Occupation> occupations, int64_t bytes) {
  std::set<int64_t> cuts{0, bytes};
  bool isStacked = false;
  for (const Occupation &occupation : occupations)
    if (occupation.isSlot) {
      isStacked = true;
      cuts.insert({occupation.from, occupation.to});
    }
  SmallVector<LivePiece> pieces;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    LivePiece piece{*cut, *std::next(cut), {}};
    for (const Occupation &occupation : occupations)
      if (occupation.from < piece.to && piece.from < occupation.to)
        piece.live.push_back(occupation.live);
    piece.live = merged(std::move(piece.live));
    if (isStacked && !piece.live.empty()) // written in one scan, read in another
      piece.live = {{piece.live.front().first, piece.live.back().second}};
    if (!pieces.empty() && pieces.back().to == piece.from && pieces.back().live == piece.live)
      pieces.back().to = piece.to;
    else if (!piece.live.empty())
      pieces.push_back(piece);
  }
  return pieces;
}
