//===- KernWalk.cpp - rules of tile programs ------------------------------===//
#include "ir/kern/KernOps.h"

#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

YieldOp WalkOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

/// Rows for which there are `entries`; -1 where there are more than tokens can be.
static int64_t rowsOfEntries(int64_t entries, int64_t every, int64_t chunk) {
  int64_t chunks, rows;
  bool overflows = llvm::MulOverflow(entries, every, chunks) || llvm::MulOverflow(chunks, chunk, rows);
  return overflows || rows > mostOfCount ? -1 : rows;
}

static bool isOfStates(WindowKind kind) { return kind == WindowKind::states || kind == WindowKind::ends; }

std::pair<int64_t, int64_t> WalkOp::getRows() {
  std::pair<int64_t, int64_t> ofEntries = {0, 0};
  for (auto [i, value] : llvm::enumerate(llvm::concat<Value>(getOperands(), getResults()))) {
    WindowAttr window = i < getNumOperands() ? getWindow(i) : getResultWindow(i - getNumOperands());
    RankedTensorType type = typeOf(value);
    if (window.getKind() == WindowKind::rows && type.getRank() >= 2)
      return {type.getDimSize(0), type.getDimSize(1)};
    if (isOfStates(window.getKind()) && type.getRank() == 4 && ofEntries.first == 0)
      ofEntries = {type.getDimSize(0), rowsOfEntries(type.getDimSize(2), window.getEvery(), getChunk())};
  }
  return ofEntries;
}

//===- Windows ----------------------------------------------------------------===//

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError, WindowKind kind, int64_t parts,
                                 int64_t width, int64_t every) {
  if (parts < 1 || every < 1)
    return emitError() << "a window must have at least 1 part, of at least each 1st chunk, but got " << parts << " and "
                       << every;
  if (int64_t number = std::max({parts, width, every}); number > mostOfCount)
    return emitError() << "numbers of a window must be at most " << mostOfCount << ", but got " << number;
  if (isOfStates(kind) != (width > 0) || (!isOfStates(kind) && every != 1))
    return emitError() << "a window of states, and no other, must have a width, but got " << width << " for "
                       << stringifyWindowKind(kind);
  return success();
}

namespace {
/// What is wrong with a window into a value; empty: nothing.
class WindowRules {
public:
  WindowRules(WalkOp op, WindowAttr window, RankedTensorType value, RankedTensorType tile)
      : op(op), window(window), value(value), tile(tile) {}

  std::string problem() {
    if (tile.getElementType() != value.getElementType())
      return "tiles must be of the type of their value";
    if (op.getPrograms() % window.getParts() != 0)
      return "parts must divide the programs";
    switch (window.getKind()) {
    case WindowKind::rows:
      return ofRows();
    case WindowKind::shared:
      return value.getRank() != 1 ? "must be one row" : ofColumns(value.getDimSize(0), tile.getShape());
    case WindowKind::states:
    case WindowKind::ends:
      return ofStates();
    }
    llvm_unreachable("unknown kind of window");
  }

private:
  std::string ofRows() {
    auto [batch, time] = op.getRows();
    if (value.getRank() < 2 || value.getRank() > 3 || value.getDimSize(0) != batch || value.getDimSize(1) != time)
      return "must have " + std::to_string(batch) + " x " + std::to_string(time) + " rows";
    if (tile.getRank() < 1 || tile.getDimSize(0) != static_cast<int64_t>(op.getChunk()))
      return "tiles must have the rows of a chunk";
    return ofColumns(value.getRank() == 3 ? value.getDimSize(2) : 1, tile.getShape().drop_front());
  }

  std::string ofColumns(int64_t columns, ArrayRef<int64_t> tileColumns) {
    if (columns % window.getParts() != 0)
      return "columns must be a multiple of the parts";
    int64_t width = columns / window.getParts();
    bool fits = tileColumns.empty() ? width == 1 : tileColumns.size() == 1 && tileColumns[0] >= width;
    return fits ? "" : "tiles must have at least the " + std::to_string(width) + " columns of a part";
  }

  std::string ofStates() {
    int64_t entries = llvm::divideCeil(op.getChunks(), window.getEvery());
    if (value.getRank() != 4 || value.getDimSize(0) != op.getRows().first || value.getDimSize(2) != entries)
      return "must be [batch, heads, entries, rows * columns] with an entry for each " +
             std::to_string(window.getEvery()) + " chunks";
    int64_t heads = value.getDimSize(1), width = window.getWidth();
    if (window.getParts() % heads != 0)
      return "the heads must divide the parts";
    int64_t columns = window.getParts() / heads * width;
    if (value.getDimSize(3) % columns != 0)
      return "an entry must have rows of " + std::to_string(columns) + " columns";
    bool isList = tile.getRank() == 1 && width == 1;
    bool fits = (isList || (tile.getRank() == 2 && tile.getDimSize(1) >= width)) &&
                tile.getDimSize(0) >= value.getDimSize(3) / columns;
    return fits ? "" : "tiles must have at least the rows and columns of a part";
  }

  WalkOp op;
  WindowAttr window;
  RankedTensorType value, tile;
};
} // namespace

//===- kern.walk --------------------------------------------------------------===//

static LogicalResult verifyWindow(WalkOp op, StringRef what, unsigned number, WindowAttr window, Value value,
                                  Value tile) {
  std::string problem = WindowRules(op, window, typeOf(value), typeOf(tile)).problem();
  if (problem.empty())
    return success();
  return op.emitOpError() << what << " " << number << ": " << problem << ", but got " << value.getType() << " and "
                          << tile.getType();
}

static LogicalResult verifyWindows(WalkOp op) {
  Block &body = op.getBody().front();
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    if (op.getWindow(i).getKind() == WindowKind::ends)
      return op.emitOpError() << "operand " << i << ": only results are stored at ends";
    else if (failed(verifyWindow(op, "operand", i, op.getWindow(i), operand, body.getArgument(i))))
      return failure();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (failed(verifyWindow(op, "result", i, op.getResultWindow(i), result, op.getYield().getValues()[i])))
      return failure();
  return success();
}

/// What may stand in a body beside the operations on tiles.
static bool isTileOperation(Operation *op) {
  return isa<YieldOp, TileMatmulOp, PrefixSumOp, UnitInverseOp, UnitSolveOp, TileRowOp, TileSumOp, ProgramIndexOp,
             seq::BroadcastOp, seq::ReduceOp, seq::ColumnIndexOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         (op->hasTrait<OpTrait::Elementwise>() && !isa<seq::DropoutOp>(op)); // which counts the columns of a row
}

LogicalResult WalkOp::verify() {
  const int64_t programs = getPrograms(), chunk = getChunk(), span = getSpan();
  if (std::min({programs, chunk, span}) < 1 || std::max({programs, chunk, span}) > mostOfCount)
    return emitOpError() << "programs, chunk and span must be between 1 and " << mostOfCount << ", but got " << programs
                         << ", " << chunk << " and " << span;
  if (getWindows().size() != getNumOperands() || getResultWindows().size() != getNumResults())
    return emitOpError() << "needs a window for each of " << getNumOperands() << " operands and " << getNumResults()
                         << " results, but got " << getWindows().size() << " and " << getResultWindows().size();
  if (getRows().first == 0)
    return emitOpError() << "must have a value with rows or states";
  if (getRows().second < 0)
    return emitOpError() << "must have states of at most " << mostOfCount << " rows, but got chunks of " << chunk;
  auto carried = getCarried();
  if (getBody().getNumArguments() < getInputs().size() ||
      (!getInitial().empty() && getInitial().size() != carried.size()))
    return emitOpError() << "needs a body argument for each of " << getInputs().size()
                         << " inputs, and one for each of " << getInitial().size() << " initial values, but got "
                         << getBody().getNumArguments();
  OperandRange yielded = getYield().getValues();
  if (yielded.size() != getNumResults() + carried.size() ||
      !llvm::equal(yielded.drop_front(getNumResults()).getTypes(), carried.getTypes()))
    return emitOpError() << "must yield a tile for each of " << getNumResults() << " results, then " << carried.size()
                         << " of the types that are carried";
  for (Operation &inner : getBody().front())
    if (!isTileOperation(&inner))
      return inner.emitOpError() << "is not an operation on tiles";
  return verifyWindows(*this);
}

bool WalkOp::mixesRows() { return true; }
seq::MatmulKind WalkOp::getMatmulKind() { return getGradient() ? seq::MatmulKind::backward : seq::MatmulKind::forward; }
StringRef WalkOp::getProfileGroup() { return "mixer"; }

double WalkOp::getFlops() {
  double ofChunk = 0;
  getBody().walk([&](Operation *op) {
    if (auto matmul = dyn_cast<TileMatmulOp>(op))
      ofChunk += 2.0 * static_cast<double>(elementsOf(matmul.getResult())) * static_cast<double>(matmul.getDepth());
    if (auto solve = dyn_cast<UnitSolveOp>(op))
      ofChunk += static_cast<double>(elementsOf(solve.getResult())) *
                 static_cast<double>(typeOf(solve.getMatrix()).getDimSize(0));
    if (auto inverse = dyn_cast<UnitInverseOp>(op))
      ofChunk += static_cast<double>(elementsOf(inverse.getResult())) *
                 static_cast<double>(typeOf(inverse.getResult()).getDimSize(0)) / 3;
  });
  return ofChunk * static_cast<double>(getRows().first) * static_cast<double>(getChunks() * getPrograms());
}

static seq::ValueFacts factsOf(WindowAttr window) {
  switch (window.getKind()) {
  case WindowKind::rows:
    return {RowKind::row, seq::Rounding::allowed, /*mayBeColumns=*/true};
  case WindowKind::shared:
    return {RowKind::shared};
  case WindowKind::states:
  case WindowKind::ends:
    return {RowKind::other};
  }
  llvm_unreachable("unknown kind of window");
}

seq::ValueFacts WalkOp::getOperandFacts(unsigned number) { return factsOf(getWindow(number)); }
seq::ValueFacts WalkOp::getResultFacts(unsigned number) { return factsOf(getResultWindow(number)); }

//===- Operations on tiles ----------------------------------------------------===//

int64_t TileMatmulOp::getDepth() { return typeOf(getA()).getDimSize(getTransposeA() ? 0 : 1); }

LogicalResult TileMatmulOp::verify() {
  auto a = typeOf(getA()), b = typeOf(getB()), result = typeOf(getResult());
  if (a.getRank() != 2 || b.getRank() != 2 || result.getRank() != 2 || a.getElementType() != b.getElementType())
    return emitOpError() << "needs matrices of one type, but got " << a << ", " << b << " and " << result;
  int64_t depth = b.getDimSize(getTransposeB() ? 1 : 0);
  SmallVector<int64_t> shape{a.getDimSize(getTransposeA() ? 1 : 0), b.getDimSize(getTransposeB() ? 0 : 1)};
  Type sums = a.getElementType().isBF16() ? Type(Float32Type::get(getContext())) : a.getElementType();
  if (depth != getDepth() || result != RankedTensorType::get(shape, sums))
    return emitOpError() << "must multiply matrices whose inner dimensions agree to "
                         << RankedTensorType::get(shape, sums) << ", but got " << a << ", " << b << " and " << result;
  return success();
}

LogicalResult PrefixSumOp::verify() {
  auto type = typeOf(getOperand());
  if (type.getRank() < 1 || static_cast<int64_t>(getRows()) < 1 || type.getDimSize(0) % getRows() != 0)
    return emitOpError() << "rows must divide those of the tile, but got " << getRows() << " and " << type;
  return success();
}

LogicalResult UnitSolveOp::verify() {
  auto matrix = typeOf(getMatrix()), right = typeOf(getRight());
  if (matrix.getRank() != 2 || right.getRank() != 2 || matrix.getDimSize(0) != matrix.getDimSize(1) ||
      matrix.getDimSize(0) != right.getDimSize(0) || matrix.getElementType() != right.getElementType())
    return emitOpError() << "needs a square matrix and as many rows on the right, but got " << matrix << " and "
                         << right;
  return success();
}

LogicalResult UnitInverseOp::verify() {
  auto type = typeOf(getOperand());
  if (type.getRank() != 2 || type.getDimSize(0) != type.getDimSize(1))
    return emitOpError() << "needs a square matrix, but got " << type;
  return success();
}

/// The type of one row.
static RankedTensorType rowOf(RankedTensorType type) { return type.clone(type.getShape().drop_front()); }

LogicalResult TileRowOp::verify() {
  auto type = typeOf(getOperand());
  if (type.getRank() < 1 || static_cast<int64_t>(getRow()) < 0 ||
      static_cast<int64_t>(getRow()) >= type.getDimSize(0) || getResult().getType() != rowOf(type))
    return emitOpError() << "must be row " << getRow() << " of the operand, but got " << type << " and "
                         << getResult().getType();
  return success();
}

LogicalResult ProgramIndexOp::verify() {
  if (typeOf(getResult()).getRank() == 0)
    return success();
  return emitOpError() << "must be a number, but got " << getResult().getType();
}

LogicalResult TileSumOp::verify() {
  auto type = typeOf(getOperand());
  if (type.getRank() < 1 || getResult().getType() != rowOf(type))
    return emitOpError() << "must have the type of a row, but got " << type << " and " << getResult().getType();
  return success();
}
