// Blocks of rows of one expert, each the work of one thread, multiplied by some columns of its weight at a time.
#include "runtime/device/cpu/experts/experts.h"

#include "runtime/abi/abi.h"
#include "runtime/core/bf16.h"
#include "runtime/core/op.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/mixer/rows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stretto::runtime::experts {
namespace {

constexpr int64_t blockRows = 256, blockColumns = 512; // of what a thread multiplies at a time
constexpr int64_t gradientRows = 256;                  // of the weight of an expert whose gradient a thread computes
constexpr int64_t line = 64;                           // bytes

int64_t partsOf(int64_t number, int64_t size) { return (number + size - 1) / size; }
int64_t roundToLines(int64_t bytes) { return partsOf(bytes, line) * line; }

// ---------------------------------------------------------------- rows

template <typename Real> Real *at(const Rows &rows, int64_t row, int64_t column) {
  return static_cast<Real *>(rows.data) + row * rows.stride + column;
}

template <typename Real> void read(const Rows &rows, int64_t row, int64_t column, int64_t columns, Real *to) {
  if (rows.dtype != STRETTO_BF16) {
    std::copy_n(at<Real>(rows, row, column), columns, to);
    return;
  }
  const uint16_t *const from = at<uint16_t>(rows, row, column);
  std::transform(from, from + columns, to, widenBf16);
}

template <typename Real> void write(const Rows &rows, int64_t row, int64_t column, int64_t columns, const Real *from) {
  if (rows.dtype != STRETTO_BF16) {
    std::copy_n(from, columns, at<Real>(rows, row, column));
    return;
  }
  std::transform(from, from + columns, at<uint16_t>(rows, row, column),
                 [](Real number) { return roundToBf16(static_cast<float>(number)); });
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
template <typename Real> Real gateOf(const Operands &op, Visit visit, int64_t expert) {
  return *at<Real>(op.gates, visit.row, expert);
}

// Some visits of an expert.
struct Block {
  int64_t expert;
  const Visit *visits;
  int64_t count;
};

template <typename Work> void eachBlock(const Routes &routes, int64_t expert, const Work &work) {
  for (const Visit *visit = routes.begin(expert); visit < routes.end(expert); visit += blockRows)
    work(Block{expert, visit, std::min(blockRows, routes.end(expert) - visit)});
}

void addBlocks(const Routes &routes, int64_t expert, std::vector<Block> &to) {
  eachBlock(routes, expert, [&](const Block &block) { to.push_back(block); });
}

// ---------------------------------------------------------------- memory

// Hands out parts of the memory of a thread, in order; counts them where there is none.
class Memory {
public:
  explicit Memory(char *begin) : begin(begin) {}
  template <typename Real> Real *take(int64_t count) {
    char *const part = begin ? begin + taken : nullptr;
    taken += roundToLines(count * static_cast<int64_t>(sizeof(Real)));
    return reinterpret_cast<Real *>(part);
  }
  int64_t bytes() const { return taken; }

private:
  char *begin;
  int64_t taken = 0;
};

// What a thread multiplies: rows that it has brought together, by columns of a weight.
template <typename Real> struct Tile {
  Tile(const Operands &op, int64_t depth, Memory &memory)
      : left(memory.take<Real>(blockRows * depth)), out(memory.take<Real>(blockRows * blockColumns)),
        with(memory.take<Real>(blockRows * blockColumns)), factors(memory.take<Real>(blockRows)),
        dots(memory.take<Real>(blockRows)),
        weights(op.weights.dtype == STRETTO_BF16 ? memory.take<Real>(depth * blockColumns) : nullptr) {}
  Real *left, *out, *with;
  Real *factors, *dots; // of rows
  Real *weights;        // widened
};

template <typename Real> struct GradientTile {
  GradientTile(const Operands &op, Memory &memory)
      : out(memory.take<Real>(blockRows * gradientRows)), in(memory.take<Real>(blockRows * inColumns(op))),
        factors(memory.take<Real>(blockRows)) {}
  Real *out, *in, *factors;
};

// All threads have the same memory; what they share lies in that of the first.
struct Shared {
  Shared(const Operands &op, bool hasSums, Memory &memory)
      : routes(memory.take<char>(Routes::bytes(op.rows, expertsOf(op), op.chosen))),
        sums(hasSums ? memory.take<float>(op.rows * op.whole.columns) : nullptr), bytes(memory.bytes()) {}
  char *routes;
  float *sums; // of whole rows, where these are rounded
  int64_t bytes;
};

bool roundsSums(const ToWhole &op) { return op.whole.dtype == STRETTO_BF16; }
bool roundsSums(const Operands &) { return false; }

template <typename Real> void takeTile(const ToParts &op, Memory &memory) { Tile<Real>(op, op.whole.columns, memory); }
template <typename Real> void takeTile(const ToWhole &op, Memory &memory) { Tile<Real>(op, partColumns(op), memory); }
template <typename Real> void takeTile(const WeightGrad &op, Memory &memory) { GradientTile<Real>(op, memory); }

template <typename Op> int64_t bytesOf(const Op &op) {
  Memory memory(nullptr);
  const Shared shared(op, roundsSums(op), memory);
  op.gates.dtype == STRETTO_F64 ? takeTile<double>(op, memory) : takeTile<float>(op, memory);
  return memory.bytes();
}

// ---------------------------------------------------------------- matmuls

// Columns of what the rows of an expert are multiplied by: of its weight, or of that transposed.
template <typename Real>
Operand<Real> columnsOf(const Operands &op, int64_t expert, bool transposed, int64_t begin, int64_t columns,
                        Real *widened) {
  const int64_t out = outColumns(op), in = inColumns(op), first = expert * out;
  const Rows &weights = op.weights;
  if (weights.dtype != STRETTO_BF16)
    return {transposed ? at<Real>(weights, first + begin, 0) : at<Real>(weights, first, begin), weights.stride,
            transposed};
  const int64_t rows = transposed ? columns : out, width = transposed ? in : columns;
  for (int64_t row = 0; row < rows; ++row)
    read(weights, first + row + (transposed ? begin : 0), transposed ? 0 : begin, width, widened + row * width);
  return {widened, width, transposed};
}

template <typename Real> void multiplyToParts(const ToParts &op, const Block &block, const Tile<Real> &tile) {
  const int64_t depth = op.whole.columns, width = partColumns(op), rows = block.count;
  for (int64_t i = 0; i < rows; ++i) {
    read(op.whole, block.visits[i].row, 0, depth, tile.left + i * depth);
    tile.factors[i] = gateOf<Real>(op, block.visits[i], block.expert);
  }
  std::fill_n(tile.dots, rows, Real(0));
  for (int64_t begin = 0; begin < width; begin += blockColumns) {
    const int64_t columns = std::min(blockColumns, width - begin);
    const mixer::Matrix<Real> out{tile.out, columns}, with{tile.with, columns};
    multiplyOnThread(rows, columns, depth, {tile.left, depth},
                     columnsOf(op, block.expert, op.wholeIsIn, begin, columns, tile.weights), false, out.data, columns);
    auto columnOf = [&](int64_t i) { return block.visits[i].part * width + begin; };
    if (op.dgates.data) {
      for (int64_t i = 0; i < rows; ++i)
        read(op.with, block.visits[i].row, columnOf(i), columns, with.row(i));
      mixer::addDots(rows, columns, Real(1), out, with, tile.dots);
      mixer::scaleRows(rows, columns, tile.factors, out, out);
    }
    for (int64_t i = 0; i < rows; ++i)
      write(op.parts, block.visits[i].row, columnOf(i), columns, out.row(i));
  }
  for (int64_t i = 0; i < rows && op.dgates.data; ++i)
    write(op.dgates, block.visits[i].row, block.expert, 1, tile.dots + i);
}

template <typename Real> void runAll(const ToParts &op, char *scratch) {
  Memory first(scratch);
  const Shared shared(op, false, first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  eachRow(op.rows, [&](int64_t row) {
    const int64_t used = routes.expertsOf(row) * partColumns(op);
    zero(op.parts, row, used, op.parts.columns - used);
    if (op.dgates.data)
      zero(op.dgates, row, 0, op.dgates.columns);
  });
  std::vector<Block> blocks;
  for (int64_t expert = 0; expert < expertsOf(op); ++expert)
    addBlocks(routes, expert, blocks);
  const int64_t bytes = bytesOf(op);
  parallelFor(static_cast<int64_t>(blocks.size()), [&](int64_t piece, int thread) {
    Memory memory(scratch + thread * bytes + shared.bytes);
    multiplyToParts(op, blocks[piece], Tile<Real>(op, op.whole.columns, memory));
  });
}

// Adds to the sums of whole rows.
template <typename Real>
void multiplyToWhole(const ToWhole &op, const Block &block, int64_t begin, const Rows &sums, const Tile<Real> &tile) {
  const int64_t depth = partColumns(op), columns = std::min(blockColumns, sums.columns - begin), rows = block.count;
  for (int64_t i = 0; i < rows; ++i)
    read(op.parts, block.visits[i].row, block.visits[i].part * depth, depth, tile.left + i * depth);
  multiplyOnThread(rows, columns, depth, {tile.left, depth},
                   columnsOf(op, block.expert, !op.wholeIsIn, begin, columns, tile.weights), false, tile.out, columns);
  for (int64_t i = 0; i < rows; ++i) {
    const Real factor = op.weighted ? gateOf<Real>(op, block.visits[i], block.expert) : Real(1);
    mixer::addScaledRows(1, columns, &factor, {tile.out + i * columns, columns},
                         {at<Real>(sums, block.visits[i].row, begin), columns});
  }
}

// One expert after the other, so that sums have one order.
template <typename Real> void runAll(const ToWhole &op, char *scratch) {
  Memory first(scratch);
  const Shared shared(op, roundsSums(op), first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  const int64_t width = op.whole.columns, bytes = bytesOf(op), across = partsOf(width, blockColumns);
  const Rows sums = shared.sums ? Rows{shared.sums, width, width, STRETTO_F32} : op.whole;
  eachRow(op.rows, [&](int64_t row) { zero(sums, row, 0, width); });
  std::vector<Block> blocks;
  for (int64_t expert = 0; expert < expertsOf(op); ++expert) {
    blocks.clear();
    addBlocks(routes, expert, blocks);
    parallelFor(static_cast<int64_t>(blocks.size()) * across, [&](int64_t piece, int thread) {
      Memory memory(scratch + thread * bytes + shared.bytes);
      multiplyToWhole(op, blocks[piece / across], piece % across * blockColumns, sums,
                      Tile<Real>(op, partColumns(op), memory));
    });
  }
  if (shared.sums)
    eachRow(op.rows, [&](int64_t row) { write(op.whole, row, 0, width, at<float>(sums, row, 0)); });
}

// The gradient of `count` rows of the weight of an expert from `begin` on.
template <typename Real>
void multiplyToWeight(const WeightGrad &op, const Routes &routes, int64_t expert, int64_t begin, int64_t count,
                      const GradientTile<Real> &tile) {
  const int64_t in = inColumns(op), part = partColumns(op);
  Real *const to = at<Real>(op.weights, expert * outColumns(op) + begin, 0);
  if (routes.begin(expert) == routes.end(expert) && !op.accumulates)
    std::fill_n(to, count * in, Real(0));
  bool adds = op.accumulates;
  eachBlock(routes, expert, [&](const Block &block) {
    const int64_t rows = block.count;
    for (int64_t i = 0; i < rows; ++i) {
      const Visit visit = block.visits[i];
      const int64_t ofPart = visit.part * part;
      read(op.wholeIsIn ? op.parts : op.whole, visit.row, op.wholeIsIn ? ofPart + begin : begin, count,
           tile.out + i * count);
      read(op.wholeIsIn ? op.whole : op.parts, visit.row, op.wholeIsIn ? 0 : ofPart, in, tile.in + i * in);
      tile.factors[i] = gateOf<Real>(op, visit, expert);
    }
    if (op.weighted)
      mixer::scaleRows(rows, count, tile.factors, {tile.out, count}, {tile.out, count});
    multiplyOnThread(count, in, rows, {tile.out, count, /*transpose=*/true}, {tile.in, in}, std::exchange(adds, true),
                     to, op.weights.stride);
  });
}

template <typename Real> void runAll(const WeightGrad &op, char *scratch) {
  Memory first(scratch);
  const Shared shared(op, false, first);
  const Routes routes(op.rows, op.chosen, op.gates, shared.routes);
  const int64_t out = outColumns(op), down = partsOf(out, gradientRows), bytes = bytesOf(op);
  parallelFor(expertsOf(op) * down, [&](int64_t piece, int thread) {
    Memory memory(scratch + thread * bytes + shared.bytes);
    const int64_t begin = piece % down * gradientRows;
    multiplyToWeight(op, routes, piece / down, begin, std::min(gradientRows, out - begin),
                     GradientTile<Real>(op, memory));
  });
}

template <typename Op> void runTyped(const Op &op, char *scratch) {
  op.gates.dtype == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}

} // namespace

int64_t scratchBytes(const ToParts &op) { return bytesOf(op); }
int64_t scratchBytes(const ToWhole &op) { return bytesOf(op); }
int64_t scratchBytes(const WeightGrad &op) { return bytesOf(op); }

void run(const ToParts &op, char *scratch) { runTyped(op, scratch); }
void run(const ToWhole &op, char *scratch) { runTyped(op, scratch); }
void run(const WeightGrad &op, char *scratch) { runTyped(op, scratch); }

} // namespace stretto::runtime::experts
