// Blocks of rows of one expert, each the work of one thread, multiplied by some columns of its weight at a time.
#include "runtime/device/cpu/experts/experts.h"

#include "runtime/abi/abi.h"
#include "runtime/core/op.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/mixer/rows.h"
#include "runtime/device/cpu/scratch.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stretto::runtime::experts {
namespace {

constexpr int64_t blockRows = 256, blockColumns = 512; // of what a thread multiplies at a time
constexpr int64_t gradientRows = 256;                  // of the weight of an expert whose gradient a thread computes

int64_t partsOf(int64_t number, int64_t size) { return (number + size - 1) / size; }

// ---------------------------------------------------------------- rows

// Brings some columns of a row to where they are computed with.
template <typename Real> void read(const Rows &rows, int64_t row, int64_t column, int64_t columns, Real *to) {
  const tiles::Matrix<const Real> found = readRows(rows, row, 1, column, columns, to);
  if (found.data != to)
    std::copy_n(found.data, columns, to);
}

template <typename Real> void write(const Rows &rows, int64_t row, int64_t column, int64_t columns, const Real *from) {
  storeRows<Real>(rows, row, 1, column, columns, {from, columns}, 1);
}

void zero(const Rows &rows, int64_t row, int64_t column, int64_t columns) {
  const int64_t element = elementBytes(rows.dtype);
  std::fill_n(static_cast<char *>(rows.data) + (row * rows.stride + column) * element, columns * element, char(0));
}

template <typename Work> void eachRow(int64_t rows, const Work &work) {
  parallelFor(partsOf(rows, blockRows), [&](int64_t block, int) {
    for (int64_t row = block * blockRows; row < std::min(rows, (block + 1) * blockRows); ++row)
      work(row);
  });
}

// ---------------------------------------------------------------- what operands say

int64_t expertsOf(const Operands &op) { return op.gates.columns; }
int64_t partColumns(const Operands &op) { return op.parts.columns / op.chosen; }
int64_t outColumns(const Operands &op) { return op.wholeIsIn ? partColumns(op) : op.whole.columns; }
int64_t inColumns(const Operands &op) { return op.wholeIsIn ? op.whole.columns : partColumns(op); }

// Some visits of an expert.
struct Block {
  int64_t expert;
  const Visit *visits;
  int64_t count;
};

template <typename Real> Real gateOf(const Operands &op, const Block &block, int64_t visit) {
  return *placeIn<Real>(op.gates, block.visits[visit].row, block.expert);
}

// Calls work(block) for visits from `begin` on.
template <typename Work> void eachBlock(int64_t expert, const Visit *begin, const Visit *end, const Work &work) {
  for (const Visit *visit = begin; visit < end; visit += blockRows)
    work(Block{expert, visit, std::min(blockRows, end - visit)});
}

// ---------------------------------------------------------------- memory

// What a thread multiplies: rows that it has brought together, by columns of a weight.
template <typename Real> struct Tile {
  Tile(const Operands &op, int64_t depth, Scratch &scratch)
      : rows(std::min(blockRows, op.rows)), left(scratch.take<Real>(rows * depth)),
        out(scratch.take<Real>(rows * blockColumns)), factors(scratch.take<Real>(rows)), dots(scratch.take<Real>(rows)),
        with(scratch.take<Real>(blockColumns)),
        weights(op.weights.dtype == STRETTO_BF16 ? scratch.take<Real>(depth * blockColumns) : nullptr) {}
  int64_t rows;
  Real *left, *out;
  Real *factors, *dots; // of rows
  Real *with, *weights; // widened
};

template <typename Real> struct GradientTile {
  GradientTile(const Operands &op, Scratch &scratch)
      : rows(std::min(blockRows, op.rows)), out(scratch.take<Real>(rows * gradientRows)),
        in(scratch.take<Real>(rows * inColumns(op))), factors(scratch.take<Real>(rows)) {}
  int64_t rows;
  Real *out, *in, *factors;
};

// Sums of whole rows are brought together apart, some columns at a time, where they are rounded.
int64_t sumsOf(const ToWhole &op) { return op.whole.dtype == STRETTO_BF16 ? op.rows * blockColumns : 0; }
int64_t sumsOf(const Operands &) { return 0; }

// All threads have the same memory; what they share lies in that of the first.
struct Shared {
  template <typename Op>
  Shared(const Op &op, Scratch &scratch)
      : routes(scratch.take<char>(Routes::bytes(op.rows, expertsOf(op), op.chosen))),
        sums(scratch.take<float>(sumsOf(op))), bytes(scratch.taken()) {}
  char *routes;
  float *sums;
  int64_t bytes;
};

template <typename Real> void takeTile(const ToParts &op, Scratch &scratch) {
  Tile<Real>(op, op.whole.columns, scratch);
}
template <typename Real> void takeTile(const ToWhole &op, Scratch &scratch) {
  Tile<Real>(op, partColumns(op), scratch);
}
template <typename Real> void takeTile(const WeightGrad &op, Scratch &scratch) { GradientTile<Real>(op, scratch); }

template <typename Op> int64_t bytesOf(const Op &op) {
  Scratch scratch(nullptr);
  Shared(op, scratch);
  op.gates.dtype == STRETTO_F64 ? takeTile<double>(op, scratch) : takeTile<float>(op, scratch);
  return scratch.taken();
}

// ---------------------------------------------------------------- matmuls

// Columns of what the rows of an expert are multiplied by: of its weight, or of that transposed.
template <typename Real>
Operand<Real> columnsOf(const Operands &op, int64_t expert, bool transposed, int64_t begin, int64_t columns,
                        Real *widened) {
  const int64_t out = outColumns(op), in = inColumns(op), first = expert * out;
  const Rows &weights = op.weights;
  if (weights.dtype != STRETTO_BF16)
    return {transposed ? placeIn<Real>(weights, first + begin, 0) : placeIn<Real>(weights, first, begin),
            weights.stride, transposed};
  const int64_t rows = transposed ? columns : out, width = transposed ? in : columns;
  for (int64_t row = 0; row < rows; ++row)
    read(weights, first + row + (transposed ? begin : 0), transposed ? 0 : begin, width, widened + row * width);
  return {widened, width, transposed};
}

// Columns from `first` to `end` of the parts of a block.
template <typename Real>
void multiplyToParts(const ToParts &op, const Block &block, int64_t first, int64_t end, const Tile<Real> &tile) {
  const int64_t depth = op.whole.columns, rows = block.count;
  for (int64_t i = 0; i < rows; ++i) {
    read(op.whole, block.visits[i].row, 0, depth, tile.left + i * depth);
    tile.factors[i] = gateOf<Real>(op, block, i);
  }
  std::fill_n(tile.dots, rows, Real(0));
  for (int64_t begin = first; begin < end; begin += blockColumns) {
    const int64_t columns = std::min(blockColumns, end - begin);
    const tiles::Matrix<Real> out{tile.out, columns};
    multiplyOnThread(rows, columns, depth, {tile.left, depth},
                     columnsOf(op, block.expert, op.wholeIsIn, begin, columns, tile.weights), false, out.data, columns);
    auto columnOf = [&](int64_t i) { return block.visits[i].part * partColumns(op) + begin; };
    if (op.dgates) {
      for (int64_t i = 0; i < rows; ++i)
        mixer::addDots(1, columns, Real(1), {out.row(i), columns},
                       readRows(op.with, block.visits[i].row, 1, columnOf(i), columns, tile.with), tile.dots + i);
      mixer::scaleRows(rows, columns, tile.factors, out, out);
    }
    for (int64_t i = 0; i < rows; ++i)
      write(op.parts, block.visits[i].row, columnOf(i), columns, out.row(i));
  }
  for (int64_t i = 0; i < rows && op.dgates; ++i)
    write(op.dgates, block.visits[i].row, block.expert, 1, tile.dots + i);
}

template <typename Real> void runAll(const ToParts &op, char *memory) {
  Scratch first(memory);
  const Shared shared(op, first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  eachRow(op.rows, [&](int64_t row) {
    const int64_t used = routes.expertsOf(row) * partColumns(op);
    zero(op.parts, row, used, op.parts.columns - used);
    if (op.dgates)
      zero(op.dgates, row, 0, op.dgates.columns);
  });
  std::vector<Block> blocks;
  for (int64_t expert = 0; expert < expertsOf(op); ++expert)
    eachBlock(expert, routes.begin(expert), routes.end(expert), [&](const Block &block) { blocks.push_back(block); });
  // Inner products go over all columns.
  const int64_t width = partColumns(op), step = op.dgates ? width : blockColumns, across = partsOf(width, step);
  const int64_t bytes = bytesOf(op);
  parallelFor(static_cast<int64_t>(blocks.size()) * across, [&](int64_t piece, int thread) {
    Scratch scratch(memory + thread * bytes + shared.bytes);
    const int64_t begin = piece % across * step;
    multiplyToParts(op, blocks[piece / across], begin, std::min(width, begin + step),
                    Tile<Real>(op, op.whole.columns, scratch));
  });
}

// Adds to sums, which are columns of whole rows from `begin` on.
template <typename Real>
void multiplyToWhole(const ToWhole &op, const Block &block, int64_t begin, const Rows &sums, const Tile<Real> &tile) {
  const int64_t depth = partColumns(op), columns = sums.columns, rows = block.count;
  for (int64_t i = 0; i < rows; ++i)
    read(op.parts, block.visits[i].row, block.visits[i].part * depth, depth, tile.left + i * depth);
  multiplyOnThread(rows, columns, depth, {tile.left, depth},
                   columnsOf(op, block.expert, !op.wholeIsIn, begin, columns, tile.weights), false, tile.out, columns);
  for (int64_t i = 0; i < rows; ++i) {
    const Real factor = op.weighted ? gateOf<Real>(op, block, i) : Real(1);
    mixer::addScaledRows(1, columns, &factor, {tile.out + i * columns, columns},
                         {placeIn<Real>(sums, block.visits[i].row, 0), columns});
  }
}

// Some columns of whole rows: those that lie in their place, or sums apart.
template <typename Real> Rows columnsOfSums(const ToWhole &op, int64_t begin, float *apart) {
  const int64_t columns = std::min(blockColumns, op.whole.columns - begin);
  if (op.whole.dtype == STRETTO_BF16)
    return {{apart, columns, STRETTO_F32}, columns};
  return {{placeIn<Real>(op.whole, 0, begin), op.whole.stride, op.whole.dtype}, columns};
}

// One part of rows after the other: those of one part are all of different rows, and sums have one order.
template <typename Real> void runAll(const ToWhole &op, char *memory) {
  Scratch first(memory);
  const Shared shared(op, first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  const int64_t bytes = bytesOf(op);
  std::vector<Block> blocks;
  for (int64_t begin = 0; begin < op.whole.columns; begin += blockColumns) {
    const Rows sums = columnsOfSums<Real>(op, begin, shared.sums);
    eachRow(op.rows, [&](int64_t row) { zero(sums, row, 0, sums.columns); });
    for (int64_t part = 0; part < op.chosen; ++part) {
      blocks.clear();
      for (int64_t expert = 0; expert < expertsOf(op); ++expert)
        eachBlock(expert, routes.begin(expert, part), routes.end(expert, part),
                  [&](const Block &block) { blocks.push_back(block); });
      parallelFor(static_cast<int64_t>(blocks.size()), [&](int64_t piece, int thread) {
        Scratch scratch(memory + thread * bytes + shared.bytes);
        multiplyToWhole(op, blocks[piece], begin, sums, Tile<Real>(op, partColumns(op), scratch));
      });
    }
    if (op.whole.dtype == STRETTO_BF16)
      eachRow(op.rows, [&](int64_t row) { write(op.whole, row, begin, sums.columns, placeIn<float>(sums, row, 0)); });
  }
}

// The gradient of `count` rows of the weight of an expert from `begin` on.
template <typename Real>
void multiplyToWeight(const WeightGrad &op, const Routes &routes, int64_t expert, int64_t begin, int64_t count,
                      const GradientTile<Real> &tile) {
  const int64_t in = inColumns(op), part = partColumns(op);
  Real *const to = placeIn<Real>(op.weights, expert * outColumns(op) + begin, 0);
  for (int64_t row = 0; row < count && routes.begin(expert) == routes.end(expert) && !op.accumulates; ++row)
    zero(op.weights, expert * outColumns(op) + begin + row, 0, in);
  bool adds = op.accumulates;
  eachBlock(expert, routes.begin(expert), routes.end(expert), [&](const Block &block) {
    const int64_t rows = block.count;
    for (int64_t i = 0; i < rows; ++i) {
      const Visit visit = block.visits[i];
      const int64_t ofPart = visit.part * part;
      read(op.wholeIsIn ? op.parts : op.whole, visit.row, op.wholeIsIn ? ofPart + begin : begin, count,
           tile.out + i * count);
      read(op.wholeIsIn ? op.whole : op.parts, visit.row, op.wholeIsIn ? 0 : ofPart, in, tile.in + i * in);
      tile.factors[i] = gateOf<Real>(op, block, i);
    }
    if (op.weighted)
      mixer::scaleRows(rows, count, tile.factors, {tile.out, count}, {tile.out, count});
    multiplyOnThread(count, in, rows, {tile.out, count, /*transpose=*/true}, {tile.in, in}, std::exchange(adds, true),
                     to, op.weights.stride);
  });
}

template <typename Real> void runAll(const WeightGrad &op, char *memory) {
  Scratch first(memory);
  const Shared shared(op, first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  const int64_t out = outColumns(op), down = partsOf(out, gradientRows), bytes = bytesOf(op);
  parallelFor(expertsOf(op) * down, [&](int64_t piece, int thread) {
    Scratch scratch(memory + thread * bytes + shared.bytes);
    const int64_t begin = piece % down * gradientRows;
    multiplyToWeight(op, routes, piece / down, begin, std::min(gradientRows, out - begin),
                     GradientTile<Real>(op, scratch));
  });
}

// Of so many rows that experts may have, also of few.
std::vector<MatmulShape> shapesOf(const Operands &op, int64_t columns, int64_t depth, bool transposed) {
  constexpr int64_t few = 7; // which our own do not take
  std::vector<MatmulShape> shapes;
  for (const int64_t rows : {std::min(blockRows, op.rows), std::min(few, op.rows)})
    shapes.push_back(
        {op.gates.dtype, rows, std::min(columns, blockColumns), depth, false, transposed, /*shared=*/true});
  return shapes;
}

template <typename Op> void runTyped(const Op &op, char *memory) {
  op.gates.dtype == STRETTO_F64 ? runAll<double>(op, memory) : runAll<float>(op, memory);
}

} // namespace

int64_t scratchBytes(const ToParts &op) { return bytesOf(op); }
int64_t scratchBytes(const ToWhole &op) { return bytesOf(op); }
int64_t scratchBytes(const WeightGrad &op) { return bytesOf(op); }

std::vector<MatmulShape> matmulsOf(const ToParts &op) {
  return shapesOf(op, partColumns(op), op.whole.columns, op.wholeIsIn);
}
std::vector<MatmulShape> matmulsOf(const ToWhole &op) {
  return shapesOf(op, op.whole.columns, partColumns(op), !op.wholeIsIn);
}
std::vector<MatmulShape> matmulsOf(const WeightGrad &op) {
  std::vector<MatmulShape> shapes;
  for (const int64_t rows : {std::min(gradientRows, outColumns(op)), outColumns(op) % gradientRows})
    if (rows > 0)
      shapes.push_back({op.gates.dtype, rows, inColumns(op), std::min(blockRows, op.rows), /*transposeA=*/true, false,
                        /*shared=*/true});
  return shapes;
}

void run(const ToParts &op, char *scratch) { runTyped(op, scratch); }
void run(const ToWhole &op, char *scratch) { runTyped(op, scratch); }
void run(const WeightGrad &op, char *scratch) { runTyped(op, scratch); }

} // namespace stretto::runtime::experts
