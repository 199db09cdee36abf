//===- Strips.cpp - columns of a matmul that its epilogue brings together ----===//
#include "codegen/rows/Strips.h"

#include "codegen/rows/RowPlan.h"
#include "ir/seq/SeqOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

MeetingColumns::MeetingColumns(kern::RowKernel op, unsigned argument) {
  Block &body = op.getBody().front();
  Value computed = body.getArgument(argument);
  count = elementCount(computed);
  classes.grow(count);
  for (BlockArgument other : body.getArguments())
    known[other] = Columns(elementCount(other), none);
  std::iota(known[computed].begin(), known[computed].end(), 0);
  for (Operation &inner : body.without_terminator())
    if (inner.getNumResults())
      known[inner.getResult(0)] = columnsOf(&inner);
}

int64_t MeetingColumns::meet(int64_t a, int64_t b) {
  if (a == none || b == none)
    return std::max(a, b);
  return classes.join(a, b);
}

MeetingColumns::Columns MeetingColumns::columnsOf(Operation *op) {
  int64_t size = elementCount(op->getResult(0));
  Columns result(size, none);
  if (auto movement = dyn_cast<seq::MovementOp>(op)) {
    auto sources = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return &known[operand]; });
    for (int64_t e = 0; e < size; ++e) {
      seq::Element from = movement.getSource(e);
      result[e] = (*sources[from.source])[from.element];
    }
  } else if (isa<seq::ReduceOp, seq::ColumnSumOp>(op)) {
    const Columns &from = known[op->getOperand(0)];
    int64_t width = isa<seq::ReduceOp>(op) ? lastDimension(op->getOperand(0)) : 1;
    if (isa<seq::ReduceOp>(op) && llvm::all_of(from, [](int64_t column) { return column == none; }))
      reason = "a reduction of the kernel does not depend on the matmul";
    for (auto [e, column] : llvm::enumerate(from)) {
      int64_t &sum = result[isa<seq::ReduceOp>(op) ? e / width : e % size];
      sum = meet(sum, column);
    }
  } else {
    for (Value operand : op->getOperands())
      for (auto [e, column] : llvm::enumerate(known[operand]))
        result[e] = meet(result[e], column);
  }
  return result;
}

int64_t MeetingColumns::columnOf(Value value, int64_t element) const { return known.at(value)[element]; }

llvm::BitVector MeetingColumns::cutsOf(int64_t pieces) const {
  int64_t length = count / pieces;
  SmallVector<int64_t> first(count, length), last(count, 0); // column in its piece, of each class by its leader
  for (int64_t column = 0; column < count; ++column) {
    unsigned leader = classes.findLeader(column);
    first[leader] = std::min(first[leader], column % length);
    last[leader] = std::max(last[leader], column % length);
  }
  SmallVector<int64_t> change(length + 1, 0);
  for (int64_t leader = 0; leader < count; ++leader)
    if (first[leader] < last[leader]) {
      ++change[first[leader] + 1];
      --change[last[leader] + 1];
    }
  llvm::BitVector cuts(length);
  for (int64_t column = 0, across = 0; column < length; ++column) {
    across += change[column];
    cuts[column] = across == 0;
  }
  return cuts;
}

static bool cutsAtMultiples(const llvm::BitVector &cuts, int64_t width) {
  for (int64_t column = width; column < static_cast<int64_t>(cuts.size()); column += width)
    if (!cuts[column])
      return false;
  return true;
}

bool MeetingColumns::allow(StripForm form) const {
  return form.pieces >= 1 && form.width >= 1 && count % form.pieces == 0 &&
         cutsAtMultiples(cutsOf(form.pieces), form.width);
}

std::optional<StripForm> MeetingColumns::choose(int64_t wanted, int64_t most, int64_t unit) const {
  constexpr int64_t mostPieces = 8, panel = 32;
  std::optional<StripForm> best;
  double least = 0;
  for (int64_t pieces = 1; pieces <= mostPieces && !best; ++pieces) {
    if (count % pieces)
      continue;
    int64_t length = count / pieces;
    llvm::BitVector cuts = cutsOf(pieces);
    int64_t widest = std::min<int64_t>(llvm::alignTo(length, unit), llvm::alignDown(most / pieces, unit));
    for (int64_t width = widest; width > 0; width -= unit) {
      double padding = static_cast<double>(llvm::alignTo(width, panel)) / width;
      double cost = std::abs(std::log2(static_cast<double>(pieces * width) / wanted)) + 4 * (padding - 1);
      if ((best && cost >= least) || !cutsAtMultiples(cuts, width))
        continue;
      best = StripForm{pieces, width};
      least = cost;
    }
  }
  return best;
}

std::string Strips::problem(kern::RowKernel op) const {
  if (!meeting.problem().empty())
    return meeting.problem().str();
  if (!meeting.allow(shape))
    return "columns of two strips meet";
  for (auto [i, value] : llvm::enumerate(op.getYielded())) {
    auto sum = value.getDefiningOp<seq::ColumnSumOp>();
    Value computed = sum ? sum.getOperand() : value;
    int64_t size = elementCount(computed);
    bool isFree = llvm::any_of(llvm::seq(size), [&](int64_t e) { return meeting.columnOf(computed, e) < 0; });
    if (isFree && size % pieceColumns())
      return "result " + std::to_string(i) + " of the kernel does not follow the columns of the matmul";
  }
  return "";
}

int64_t Strips::stripOf(Value value, int64_t element) const {
  int64_t column = meeting.columnOf(value, element);
  return (column < 0 ? element : column) % pieceColumns() / shape.width;
}
