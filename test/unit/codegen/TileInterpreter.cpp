//===- TileInterpreter.cpp - what a kern.walk means, slowly --------------------===//
#include "TileInterpreter.h"

#include "ir/seq/TensorShape.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
/// A tile as rows and columns: a list of a matrix with rows of one element, a number has one row.
struct Matrix {
  int64_t rows, columns;
  Numbers numbers;
  double &at(int64_t row, int64_t column) { return numbers[row * columns + column]; }
  double at(int64_t row, int64_t column) const { return numbers[row * columns + column]; }
};

Matrix matrixOf(Value tile, Numbers numbers = {}) {
  RankedTensorType type = typeOf(tile);
  int64_t rows = type.getRank() > 0 ? type.getDimSize(0) : 1, columns = type.getRank() > 1 ? type.getDimSize(1) : 1;
  numbers.resize(rows * columns, 0.0);
  return {rows, columns, std::move(numbers)};
}

class Interpreter {
public:
  Interpreter(kern::WalkOp op, const std::vector<Numbers> &operands, Reals reals)
      : op(op), operands(operands), reals(reals) {}
  std::vector<Numbers> run();

private:
  void runProgram(int64_t batch, int64_t program, int64_t span);
  void runChunk();
  Matrix compute(Operation *inner);
  Matrix rounded(Value tile, Matrix matrix) const;
  Matrix elementwise(Operation *inner);
  Matrix matmul(kern::TileMatmulOp matmul);
  Matrix prefixSum(kern::PrefixSumOp sum);
  Matrix inverse(kern::UnitInverseOp inverse);
  Matrix solve(kern::UnitSolveOp solve);
  Matrix broadcast(seq::BroadcastOp broadcast);
  Matrix reduce(seq::ReduceOp reduce);
  Matrix read(unsigned number, Value tile);
  void write(unsigned number, Value tile);
  int64_t elementOf(Value value, kern::WindowAttr window, int64_t row, int64_t column, int64_t rank);

  kern::WalkOp op;
  const std::vector<Numbers> &operands;
  Reals reals;
  std::vector<Numbers> results;
  llvm::DenseMap<Value, Matrix> known;
  int64_t batch = 0, program = 0, chunk = 0;
};
} // namespace

std::vector<Numbers> stretto::test::interpretWalk(kern::WalkOp op, const std::vector<Numbers> &operands, Reals reals) {
  return Interpreter(op, operands, reals).run();
}

//===- Windows --------------------------------------------------------------------===//

/// The number of an element of a tile in its value; -1 where there is none.
int64_t Interpreter::elementOf(Value value, kern::WindowAttr window, int64_t row, int64_t column, int64_t rank) {
  auto dims = typeOf(value).getShape();
  int64_t part = program * window.getParts() / op.getPrograms();
  switch (window.getKind()) {
  case kern::WindowKind::rows: {
    int64_t time = chunk * op.getChunk() + row, columns = dims.size() == 3 ? dims[2] : 1;
    int64_t width = columns / window.getParts();
    bool isThere = time < dims[1] && column < width;
    return isThere ? (batch * dims[1] + time) * columns + part * width + column : -1;
  }
  case kern::WindowKind::shared: {
    int64_t width = dims[0] / window.getParts(), element = rank == 1 ? row : 0;
    return element < width ? part * width + element : -1;
  }
  case kern::WindowKind::states:
  case kern::WindowKind::ends: {
    int64_t partsOfHead = window.getParts() / dims[1], width = window.getWidth();
    int64_t head = part / partsOfHead, stride = partsOfHead * width;
    bool isThere = row < dims[3] / stride && column < width;
    int64_t entry = (batch * dims[1] + head) * dims[2] + chunk / window.getEvery();
    return isThere ? entry * dims[3] + row * stride + part % partsOfHead * width + column : -1;
  }
  }
  llvm_unreachable("unknown kind of window");
}

Matrix Interpreter::read(unsigned number, Value tile) {
  Matrix matrix = matrixOf(tile);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t column = 0; column < matrix.columns; ++column) {
      int64_t element = elementOf(op.getOperand(number), op.getWindow(number), row, column, typeOf(tile).getRank());
      matrix.at(row, column) = element < 0 ? 0 : operands[number][element];
    }
  return matrix;
}

void Interpreter::write(unsigned number, Value tile) {
  kern::WindowAttr window = op.getResultWindow(number);
  bool isBegin = chunk % window.getEvery() == 0, isEnd = (chunk + 1) % window.getEvery() == 0;
  if (window.getKind() == kern::WindowKind::ends ? !isEnd && chunk + 1 < op.getChunks() : !isBegin)
    return;
  const Matrix &matrix = known.at(tile);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t column = 0; column < matrix.columns; ++column) {
      int64_t element = elementOf(op.getResult(number), window, row, column, typeOf(tile).getRank());
      if (element >= 0)
        results[number][element] = matrix.at(row, column);
    }
}

//===- The walk -------------------------------------------------------------------===//

std::vector<Numbers> Interpreter::run() {
  for (Value result : op.getResults())
    results.emplace_back(elementsOf(result), std::nan(""));
  for (int64_t sequence = 0; sequence < op.getRows().first; ++sequence)
    for (int64_t number = 0; number < static_cast<int64_t>(op.getPrograms()); ++number)
      for (int64_t span = 0; span < op.getSpans(); ++span)
        runProgram(sequence, number, span);
  return results;
}

void Interpreter::runProgram(int64_t sequence, int64_t number, int64_t span) {
  batch = sequence;
  program = number;
  int64_t first = span * op.getSpan(), end = std::min<int64_t>(op.getChunks(), first + op.getSpan());
  for (int64_t turn = 0; turn < end - first; ++turn) {
    chunk = op.getReverse() ? end - 1 - turn : first + turn;
    SmallVector<Matrix> carried;
    for (auto [i, tile] : llvm::enumerate(op.getCarried())) {
      if (turn > 0)
        carried.push_back(known.at(op.getYield().getValues()[op.getNumResults() + i]));
      else
        carried.push_back(op.getInitial().empty() ? matrixOf(tile) : read(op.getInputs().size() + i, tile));
    }
    known.clear();
    for (auto [tile, matrix] : llvm::zip_equal(op.getCarried(), carried))
      known[tile] = matrix;
    runChunk();
  }
}

void Interpreter::runChunk() {
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    known[op.getBody().getArgument(i)] = read(i, op.getBody().getArgument(i));
  for (Operation &inner : op.getBody().front().without_terminator())
    known[inner.getResult(0)] = rounded(inner.getResult(0), compute(&inner));
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    write(i, op.getYield().getValues()[i]);
}

//===- Operations -----------------------------------------------------------------===//

Matrix Interpreter::rounded(Value tile, Matrix matrix) const {
  for (double &number : matrix.numbers)
    number = roundedTo(tile.getType(), number, reals);
  return matrix;
}

Matrix Interpreter::compute(Operation *inner) {
  Value result = inner->getResult(0);
  DenseElementsAttr constant;
  if (matchPattern(inner, m_Constant(&constant)))
    return matrixOf(result, Numbers(elementsOf(result), constant.getSplatValue<APFloat>().convertToDouble()));
  return llvm::TypeSwitch<Operation *, Matrix>(inner)
      .Case([&](kern::TileMatmulOp o) { return matmul(o); })
      .Case([&](kern::PrefixSumOp o) { return prefixSum(o); })
      .Case([&](kern::UnitInverseOp o) { return inverse(o); })
      .Case([&](kern::UnitSolveOp o) { return solve(o); })
      .Case([&](seq::BroadcastOp o) { return broadcast(o); })
      .Case([&](seq::ReduceOp o) { return reduce(o); })
      .Case([&](kern::TileRowOp o) {
        const Matrix &from = known.at(o.getOperand());
        auto begin = from.numbers.begin() + o.getRow() * from.columns;
        return matrixOf(result, Numbers(begin, begin + from.columns));
      })
      .Case([&](kern::ProgramIndexOp) { return matrixOf(result, Numbers{static_cast<double>(program)}); })
      .Case([&](kern::TileSumOp o) {
        const Matrix &from = known.at(o.getOperand());
        Matrix to = matrixOf(result);
        for (size_t i = 0; i < from.numbers.size(); ++i)
          to.numbers[i % from.columns] += from.numbers[i];
        return to;
      })
      .Case([&](seq::ColumnIndexOp) {
        Matrix to = matrixOf(result);
        for (size_t i = 0; i < to.numbers.size(); ++i)
          to.numbers[i] = static_cast<double>(i % columnsOf(result));
        return to;
      })
      .Default([&](Operation *) { return elementwise(inner); });
}

Matrix Interpreter::matmul(kern::TileMatmulOp op) {
  const Matrix &a = known.at(op.getA()), &b = known.at(op.getB());
  Matrix result = matrixOf(op.getResult());
  for (int64_t i = 0; i < result.rows; ++i)
    for (int64_t j = 0; j < result.columns; ++j)
      for (int64_t k = 0; k < op.getDepth(); ++k)
        result.at(i, j) +=
            (op.getTransposeA() ? a.at(k, i) : a.at(i, k)) * (op.getTransposeB() ? b.at(j, k) : b.at(k, j));
  return result;
}

Matrix Interpreter::prefixSum(kern::PrefixSumOp op) {
  const Matrix &from = known.at(op.getOperand());
  Matrix to = matrixOf(op.getResult());
  int64_t rows = op.getRows();
  for (int64_t i = 0; i < from.rows; ++i)
    for (int64_t other = i / rows * rows; other < (i / rows + 1) * rows; ++other) {
      bool isAdded = other == i ? !op.getExclusive() : (other > i) == op.getReverse();
      for (int64_t column = 0; isAdded && column < from.columns; ++column)
        to.at(i, column) += from.at(other, column);
    }
  return to;
}

Matrix Interpreter::solve(kern::UnitSolveOp op) {
  const Matrix &m = known.at(op.getMatrix());
  Matrix x = known.at(op.getRight());
  for (int64_t turn = 0; turn < m.rows; ++turn) {
    int64_t i = op.getTranspose() ? m.rows - 1 - turn : turn;
    int64_t begin = op.getTranspose() ? i + 1 : 0, end = op.getTranspose() ? m.rows : i;
    for (int64_t j = begin; j < end; ++j)
      for (int64_t column = 0; column < x.columns; ++column)
        x.at(i, column) -= (op.getTranspose() ? m.at(j, i) : m.at(i, j)) * x.at(j, column);
  }
  return x;
}

/// Where rounding is looked at, factors are rounded to tf32, as those of kernels are.
Matrix Interpreter::inverse(kern::UnitInverseOp op) {
  const Matrix &m = known.at(op.getOperand());
  auto factor = [&](double number) { return reals == Reals::rounded ? roundedToTf32(number) : number; };
  Matrix x = matrixOf(op.getResult());
  for (int64_t i = 0; i < m.rows; ++i) {
    x.at(i, i) = 1;
    for (int64_t j = 0; j < i; ++j)
      for (int64_t column = 0; column <= j; ++column)
        x.at(i, column) -= factor(m.at(i, j)) * factor(x.at(j, column));
  }
  return x;
}

Matrix Interpreter::broadcast(seq::BroadcastOp op) {
  const Matrix &from = known.at(op.getOperand());
  Matrix to = matrixOf(op.getResult());
  int64_t rank = typeOf(op.getOperand()).getRank();
  for (int64_t row = 0; row < to.rows; ++row)
    for (int64_t column = 0; column < to.columns; ++column)
      to.at(row, column) = rank == 0 ? from.numbers[0] : from.numbers[op.getDims()[0] == 0 ? row : column];
  return to;
}

Matrix Interpreter::reduce(seq::ReduceOp op) {
  const Matrix &from = known.at(op.getOperand());
  Matrix to = matrixOf(op.getResult());
  int64_t width = columnsOf(op.getOperand());
  for (size_t i = 0; i < from.numbers.size(); ++i) {
    double &sum = to.numbers[i / width], next = from.numbers[i];
    if (i % width == 0 && op.getKind() != seq::ReduceKind::add)
      sum = next;
    else if (op.getKind() == seq::ReduceKind::add)
      sum += next;
    else
      sum = op.getKind() == seq::ReduceKind::max ? std::max(sum, next) : std::min(sum, next);
  }
  return to;
}

/// Whether operations go on with what an operation has rounded to bf16. Results that are only written are compared as
/// they were before.
static bool roundsForOthers(Operation *inner) {
  return isa<arith::TruncFOp>(inner) && getElementTypeOrSelf(inner->getResult(0).getType()).isBF16() &&
         !llvm::all_of(inner->getUsers(), llvm::IsaPred<kern::YieldOp>);
}

Matrix Interpreter::elementwise(Operation *inner) {
  Matrix to = matrixOf(inner->getResult(0));
  bool rounds = roundsForOthers(inner);
  for (size_t i = 0; i < to.numbers.size(); ++i) {
    SmallVector<double> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(known.at(operand).numbers[i]);
    double number = evaluate(inner, operands);
    to.numbers[i] = rounds ? roundedToBf16(number) : number;
  }
  return to;
}
