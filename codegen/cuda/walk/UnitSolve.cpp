//===- UnitSolve.cpp - triangular systems of tiles --------------------------------===//
//
// A thread solves one column, in place in shared memory and without a barrier: blocks of rows one after the other (the
// last first, with the transpose), whose numbers it has in registers. First it takes off what the blocks before
// contribute, a few of their rows at a time; then it substitutes within the block.
#include "codegen/cuda/walk/TileOperations.h"

#include "codegen/cuda/ControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class ColumnSolver {
public:
  ColumnSolver(TileEmitter &tiles, kern::UnitSolveOp op, const SharedTile &matrix, const SharedTile &solution,
               Value column)
      : tiles(tiles), b(tiles.b), matrix(matrix), solution(solution), column(column),
        rows(typeOf(op.getMatrix()).getDimSize(0)), isTransposed(op.getTranspose()) {}

  void solve();

private:
  static constexpr int64_t ofBlock = 16, together = 4; // rows; they divide those of tiles

  void solveBlock(Value first);
  Values takeOff(Value first, Value known, ValueRange block);
  void substitute(Value first, Values &block);
  Values loadFactors(Value row, int64_t moreRows, Value column, int64_t moreColumns);
  Value minus(Value sum, Value factor, Value known) { return b.mulAdd(arith::NegFOp::create(b, factor), known, sum); }
  Value loadRow(Value first, int64_t more) { return tiles.load(solution, {first, column, more, 0, {}}, 1); }

  TileEmitter &tiles;
  CudaBuilder &b;
  SharedTile matrix, solution;
  Value column;
  int64_t rows;
  bool isTransposed;
};
} // namespace

/// `together` neighbours of a row of the matrix.
Values ColumnSolver::loadFactors(Value row, int64_t moreRows, Value from, int64_t moreColumns) {
  Value vector = tiles.load(matrix, {row, from, moreRows, moreColumns, {}}, together);
  Values factors;
  for (int64_t i = 0; i < together; ++i)
    factors.push_back(vector::ExtractOp::create(b, vector, i));
  return factors;
}

/// From the block that begins at row `first`, what the rows from `known` on contribute.
Values ColumnSolver::takeOff(Value first, Value known, ValueRange block) {
  Values next(block), others;
  for (int64_t i = 0; i < together; ++i)
    others.push_back(loadRow(known, i));
  for (int64_t row = 0; !isTransposed && row < ofBlock; ++row)
    for (auto [factor, other] : llvm::zip_equal(loadFactors(first, row, known, 0), others))
      next[row] = minus(next[row], factor, other);
  for (int64_t i = 0; isTransposed && i < together; ++i)
    for (int64_t row = 0; row < ofBlock; row += together)
      for (auto [more, factor] : llvm::enumerate(loadFactors(known, i, first, row)))
        next[row + more] = minus(next[row + more], factor, others[i]);
  return next;
}

/// Row by row of the matrix: it takes off from its own number what is known, or its own number from those to come.
void ColumnSolver::substitute(Value first, Values &block) {
  for (int64_t turn = 1; turn < ofBlock; ++turn) {
    int64_t row = isTransposed ? ofBlock - turn : turn;
    for (int64_t begin = 0; begin < row; begin += together)
      for (auto [more, factor] : llvm::enumerate(loadFactors(first, row, first, begin))) {
        int64_t other = begin + static_cast<int64_t>(more);
        if (other >= row)
          break;
        Value &changed = block[isTransposed ? other : row];
        changed = minus(changed, factor, block[isTransposed ? row : other]);
      }
  }
}

void ColumnSolver::solveBlock(Value first) {
  Values block;
  for (int64_t row = 0; row < ofBlock; ++row)
    block.push_back(loadRow(first, row));
  Value begin = isTransposed ? b.add(first, b.index(ofBlock)) : b.index(0);
  block = forEach(b, begin, isTransposed ? b.index(rows) : first, together, block,
                  [&](Value known, ValueRange now) { return takeOff(first, known, now); });
  substitute(first, block);
  for (auto [row, value] : llvm::enumerate(block))
    tiles.store(solution, {first, column, static_cast<int64_t>(row), 0, {}}, value);
}

void ColumnSolver::solve() {
  forEach(b, b.index(0), b.index(rows), ofBlock, {}, [&](Value distance, ValueRange) {
    solveBlock(isTransposed ? arith::SubIOp::create(b, b.index(rows - ofBlock), distance).getResult() : distance);
    return Values();
  });
}

void stretto::codegen::emitUnitSolve(TileEmitter &tiles, kern::UnitSolveOp op) {
  SharedTile matrix = tiles.inShared(op.getMatrix());
  RankedTensorType type = typeOf(op.getResult());
  TilePlaces &places = tiles.placesOf(type.getShape());
  SharedTile solution = tiles.shared.add(type.getElementType(), type.getShape());
  tiles.beginStep();
  for (int64_t part = 0; part < places.layout().parts(); ++part)
    tiles.store(solution, places.at(part), tiles.part(op.getRight(), part));
  tiles.beginStep();
  tiles.forEachOf(type.getDimSize(1), [&](Value column) { ColumnSolver(tiles, op, matrix, solution, column).solve(); });
  tiles.setShared(op.getResult(), solution);
}
