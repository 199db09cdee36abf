//===- Strips.cpp - columns of rows that a kernel brings together ------------===//
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
  tabulate(body);
}

MeetingColumns MeetingColumns::ofWidestOperand(kern::RowKernel op) {
  Block &body = op.getBody().front();
  MeetingColumns all; // columns: elements of all row operands, one behind the other
  int64_t first = 0;  // of the widest
  MeetingColumns widest;
  for (BlockArgument argument : body.getArguments()) {
    int64_t size = elementCount(argument);
    Columns &elements = all.known[argument];
    elements.assign(size, none);
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::row || size == 1)
      continue;
    std::iota(elements.begin(), elements.end(), all.count);
    if (size > widest.count)
      std::tie(first, widest.count) = std::pair(all.count, size);
    all.count += size;
  }
  if (widest.count == 0) {
    widest.reason = "no operand has a row of several columns";
    return widest;
  }
  all.classes.grow(all.count);
  all.tabulate(body);
  widest.classes.grow(widest.count);
  Columns columnOfClass(all.count, none);
  for (int64_t column = 0; column < widest.count; ++column) {
    int64_t &met = columnOfClass[all.classes.findLeader(first + column)];
    met = widest.meet(met, column);
  }
  if (!body.getOps<seq::ReduceOp>().empty())
    widest.reason = "the kernel reduces rows";
  for (Value value : op.getYielded()) {
    auto sum = value.getDefiningOp<seq::ColumnSumOp>();
    Value computed = sum ? sum.getOperand() : value;
    Columns &columns = widest.known[computed];
    columns.resize(elementCount(computed));
    for (auto [e, element] : llvm::enumerate(all.known[computed])) {
      int64_t met = element == none ? none : columnOfClass[all.classes.findLeader(element)];
      columns[e] = met == none ? static_cast<int64_t>(e) % elementCount(value) % widest.count : met;
    }
  }
  return widest;
}

void MeetingColumns::tabulate(Block &body) {
  for (Operation &inner : body.without_terminator())
    if (inner.getNumResults())
      known[inner.getResult(0)] = resultOf(&inner);
  // What adds up to one number lies in one strip.
  for (auto sum : body.getOps<seq::ColumnSumOp>())
    for (auto [e, column] : llvm::enumerate(known[sum.getOperand()]))
      if (column == none)
        column = known[sum][e % elementCount(sum)];
}

int64_t MeetingColumns::meet(int64_t a, int64_t b) {
  if (a == none || b == none)
    return std::max(a, b);
  return classes.join(a, b);
}

MeetingColumns::Columns MeetingColumns::resultOf(Operation *op) {
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
    for (auto [e, column] : llvm::enumerate(from)) {
      int64_t &sum = result[isa<seq::ReduceOp>(op) ? e / width : e % size];
      sum = meet(sum, column);
    }
    if (isa<seq::ReduceOp>(op) && llvm::is_contained(result, none)) // any strip may read it
      reason = "a reduction of the kernel does not depend on the matmul";
  } else {
    for (Value operand : op->getOperands())
      for (auto [met, column] : llvm::zip_equal(result, known[operand]))
        met = meet(met, column);
  }
  return result;
}

int64_t MeetingColumns::columnOf(Value value, int64_t element) const { return known.at(value)[element]; }

llvm::BitVector MeetingColumns::columnsOf(Value value) const {
  llvm::BitVector leaders(count), columns(count);
  for (int64_t column : known.at(value))
    if (column != none)
      leaders.set(classes.findLeader(column));
  for (int64_t column = 0; column < count; ++column)
    columns[column] = leaders[classes.findLeader(column)];
  return columns;
}

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
  constexpr int64_t panel = 32;
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

std::optional<int64_t> MeetingColumns::leastPieces(int64_t width) const {
  for (int64_t pieces = 1; pieces <= std::min(mostPieces, count / width); ++pieces)
    if (allow({pieces, width}))
      return pieces;
  return std::nullopt;
}

std::string Strips::problem(kern::RowKernel op) const {
  if (!meeting.problem().empty())
    return meeting.problem().str();
  if (!meeting.allow(shape))
    return "columns of two strips meet";
  for (auto [i, value] : llvm::enumerate(op.getYielded())) {
    auto sum = value.getDefiningOp<seq::ColumnSumOp>();
    Value computed = sum ? sum.getOperand() : value;
    bool isFree =
        llvm::any_of(llvm::seq(elementCount(computed)), [&](int64_t e) { return meeting.columnOf(computed, e) < 0; });
    if (isFree &&
        elementCount(value) % meeting.columns()) // whatever the strips, an element of the result is one's alone
      return "result " + std::to_string(i) + " of the kernel does not follow the columns of the matmul";
  }
  return "";
}

int64_t Strips::stripOf(Value value, int64_t element) const {
  int64_t column = meeting.columnOf(value, element);
  return (column < 0 ? element : column) % pieceColumns() / shape.width;
}
