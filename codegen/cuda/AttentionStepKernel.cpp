//===- AttentionStepKernel.cpp - the function of a seq.attention_step ------------===//
//
// A thread block works on one query of one head. Its warps share the keys: each goes through every fourth, its lanes
// across the columns of the head, with a running maximum and sum of the softmax (M. Milakov and N. Gimelshein, "Online
// normalizer calculation for softmax", arXiv 1805.02867). What the warps found is put together in their order at the
// end.
#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/memory/Views.h"
#include "codegen/rows/ElementMap.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t warps = 4;
constexpr double least = -1e30; // below every score, and finite: the difference of two is a number

class StepBuilder {
public:
  StepBuilder(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::AttentionStepOp op)
      : b(b), op(op), function(b, kernels, op), stored(getElementTypeOrSelf(op.getQ().getType())),
        real(stored.isF64() ? stored : b.getF32Type()), batch(dimension(op.getQ(), 0)), rows(dimension(op.getQ(), 1)),
        capacity(dimension(op.getK(), 1)), heads(op.getHeads()), group(heads / static_cast<int64_t>(op.getKvHeads())),
        ofKeys(lastDimension(op.getQ()) / heads), ofValues(lastDimension(op.getOut()) / heads) {}

  /// Bytes of shared memory.
  int64_t sharedBytes() const { return warps * (2 + ofValues.columns) * elementBytes(real); }
  void build();

private:
  enum { q, k, v, positions, counts, sinks };
  unsigned decayBuffer() { return op.getSinks() ? sinks + 1 : sinks; }
  unsigned biasBuffer() { return op.getDecay() ? decayBuffer() + 1 : decayBuffer(); }
  /// Behind all operands.
  Value outBuffer() { return function.buffer(op->getNumOperands()); }

  /// How a warp goes across the columns of a head.
  struct Width {
    int64_t columns, pieces;
    explicit Width(int64_t columns) : columns(columns), pieces(llvm::divideCeil(columns, warpThreads)) {}
  };

  static int64_t dimension(Value value, unsigned number) {
    return cast<RankedTensorType>(value.getType()).getDimSize(number);
  }
  Value word(unsigned buffer, Value i) {
    Value word = b.load(b.getI32Type(), 1, b.address(function.buffer(buffer), b.getI32Type(), i));
    return arith::ExtSIOp::create(b, b.getI64Type(), word);
  }
  /// Column `piece` * 32 + lane of a head, or the last one; whether that is the thread's own.
  Value column(Width of, int64_t piece) {
    return b.minimum(b.add(lane, b.index(piece * warpThreads)), b.index(of.columns - 1));
  }
  Value isOwn(Width of, int64_t piece) {
    bool isWhole = (piece + 1) * warpThreads <= of.columns;
    return isWhole ? Value() : b.less(b.add(lane, b.index(piece * warpThreads)), of.columns);
  }
  /// Where the key, or the value, at a place of the caches begins.
  Value startOf(Width of, Value place) {
    int64_t kvHeads = heads / group;
    return b.add(b.mul(place, kvHeads * of.columns), b.mul(b.divide(head, group), of.columns));
  }
  Value loadReal(Value pointer) {
    Value value = b.load(stored, 1, pointer);
    return stored == real ? value : arith::ExtFOp::create(b, real, value);
  }
  Value mulF(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value shrink(Value from, Value to) { return math::ExpOp::create(b, arith::SubFOp::create(b, from, to)); }

  Values queryPieces();
  Value firstVisible(Value end);
  Value placeOf(Value key);
  Values attend(ValueRange query, Value end);
  Value capped(Value score);
  Value decayOf(Value key);
  Value decayBehindFirst(Value end);
  Value decayOfStep(Value key);
  Value biasOf(Value distance);
  Value slopeOfHead();
  Values step(ValueRange query, Value key, Value end, ValueRange state);
  void leave(ValueRange state);
  void combine();
  void write(int64_t piece, Value value);

  CudaBuilder &b;
  seq::AttentionStepOp op;
  KernelFunction function;
  Type stored, real; // in memory; computed with
  int64_t batch, rows, capacity, heads, group;
  Width ofKeys, ofValues;
  Value lane, warp, sequence, head, row; // row: of all rows of the batch
  Value sums, parts;                     // shared: maximum and sum, and columns, of each warp
  Value slope;                           // what a step of distance takes from scores, null for nothing
};
} // namespace

/// The query, zero behind its last column.
Values StepBuilder::queryPieces() {
  Value start = b.add(b.mul(row, rowStride(op.getQ())), b.mul(head, ofKeys.columns));
  Values query;
  for (int64_t piece = 0; piece < ofKeys.pieces; ++piece) {
    Value value = loadReal(b.address(function.buffer(q), stored, b.add(start, column(ofKeys, piece))));
    query.push_back(b.select(isOwn(ofKeys, piece), value, b.real(real, 0)));
  }
  return query;
}

Value StepBuilder::slopeOfHead() {
  Value number = arith::SIToFPOp::create(b, real, b.add(head, b.index(1)));
  return math::ExpOp::create(b, mulF(number, b.real(real, -8 * std::numbers::ln2 / static_cast<double>(heads))));
}

Value StepBuilder::capped(Value score) {
  if (!op.getCap())
    return score;
  double cap = op.getCap()->convertToDouble();
  return mulF(math::TanhOp::create(b, mulF(score, b.real(real, 1 / cap))), b.real(real, cap));
}

/// The decay at a key; at the first token for one before it.
Value StepBuilder::decayOf(Value key) {
  Value place = b.add(b.mul(sequence, capacity), placeOf(b.select(b.less(key, 0), b.index(0), key)));
  return b.load(real, 1, b.address(function.buffer(decayBuffer()), real, b.add(b.mul(place, heads), head)));
}

/// Where there is a decay, a warp goes from the last key to the first one: the sum of the decay behind its first one.
Value StepBuilder::decayBehindFirst(Value end) {
  Value sum = b.real(real, 0);
  for (int64_t n = 1; n < warps; ++n) {
    Value isBehind = b.less(b.index(n - 1), warp);
    sum = arith::AddFOp::create(b, sum, b.select(isBehind, decayOf(b.add(end, b.index(-n))), b.real(real, 0)));
  }
  return sum;
}

/// From a key to the next one of its warp.
Value StepBuilder::decayOfStep(Value key) {
  Value sum = decayOf(key);
  for (int64_t n = 1; n < warps; ++n)
    sum = arith::AddFOp::create(b, sum, decayOf(b.add(key, b.index(-n))));
  return sum;
}

/// What a head adds to the score of a key that is so many tokens before the query.
Value StepBuilder::biasOf(Value distance) {
  int64_t reach = lastDimension(op.getBias());
  Value place = b.add(b.mul(head, reach), b.minimum(distance, b.index(reach - 1)));
  return b.load(real, 1, b.address(function.buffer(biasBuffer()), real, place));
}

/// One key further; the state is maximum, sum, the columns of the result, and the decay behind the key.
Values StepBuilder::step(ValueRange query, Value key, Value end, ValueRange state) {
  Value place = b.add(b.mul(sequence, capacity), placeOf(key));
  Value ofKey = startOf(ofKeys, place), ofValue = startOf(ofValues, place), dot = b.real(real, 0);
  for (int64_t piece = 0; piece < ofKeys.pieces; ++piece)
    dot = b.mulAdd(query[piece], loadReal(b.address(function.buffer(k), stored, b.add(ofKey, column(ofKeys, piece)))),
                   dot);
  dot = b.reduceLanes(seq::ReduceKind::add, dot, warpThreads);
  Value score = capped(mulF(dot, b.real(real, op.getScale().convertToDouble())));
  if (slope) {
    Value distance = arith::SIToFPOp::create(b, real, arith::SubIOp::create(b, b.add(key, b.index(1)), end));
    score = b.mulAdd(distance, slope, score);
  }
  if (op.getDecay())
    score = arith::AddFOp::create(b, score, state.back());
  if (op.getBias())
    score = arith::AddFOp::create(b, score, biasOf(arith::SubIOp::create(b, end, b.add(key, b.index(1)))));
  Value maximum = arith::MaximumFOp::create(b, state[0], score);
  Value keep = shrink(state[0], maximum), weight = shrink(score, maximum);
  Values next{maximum, b.mulAdd(state[1], keep, weight)};
  for (int64_t piece = 0; piece < ofValues.pieces; ++piece) {
    Value value = loadReal(b.address(function.buffer(v), stored, b.add(ofValue, column(ofValues, piece))));
    next.push_back(b.mulAdd(state[2 + piece], keep, mulF(weight, value)));
  }
  if (op.getDecay())
    next.push_back(arith::AddFOp::create(b, state.back(), decayOfStep(key)));
  return next;
}

/// The first of the keys before `end` that are visible, as a window does not hide them; null for the very first.
Value StepBuilder::firstVisible(Value end) {
  if (!op.getWindow())
    return {};
  Value first = b.add(end, b.index(-static_cast<int64_t>(*op.getWindow())));
  return b.select(b.less(first, 0), b.index(0), first);
}

/// Where the key of a position lies in its cache, which only with a window holds less than all of them.
Value StepBuilder::placeOf(Value key) { return op.getWindow() ? b.remainder(key, capacity) : key; }

/// The keys of this warp: visible are some before `end`.
Values StepBuilder::attend(ValueRange query, Value end) {
  Values state{b.real(real, least)};
  state.append(1 + ofValues.pieces, b.real(real, 0));
  Value first = firstVisible(end), begin = first ? b.add(first, warp) : warp;
  if (!op.getDecay())
    return forEach(b, begin, end, warps, state, [&](Value key, ValueRange now) { return step(query, key, end, now); });
  state.push_back(decayBehindFirst(end));
  Value ends = b.add(first ? b.add(first, end) : end, b.index(-1)); // the first key and the last one, added
  return forEach(b, begin, end, warps, state, [&](Value number, ValueRange now) {
    return step(query, arith::SubIOp::create(b, ends, number), end, now);
  });
}

void StepBuilder::leave(ValueRange state) {
  b.when(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, b.index(0)), [&] {
    b.store(state[0], b.address(sums, real, b.mul(warp, 2)));
    b.store(state[1], b.address(b.address(sums, real, b.mul(warp, 2)), real, 1));
  });
  for (int64_t piece = 0; piece < ofValues.pieces; ++piece)
    b.when(isOwn(ofValues, piece), [&] {
      b.store(state[2 + piece], b.address(parts, real, b.add(b.mul(warp, ofValues.columns), column(ofValues, piece))));
    });
}

/// The first warp puts the parts together.
void StepBuilder::combine() {
  Values maxima, totals;
  for (int64_t w = 0; w < warps; ++w) {
    maxima.push_back(b.load(real, 1, b.address(sums, real, 2 * w)));
    totals.push_back(b.load(real, 1, b.address(sums, real, 2 * w + 1)));
  }
  if (op.getSinks())
    maxima.push_back(b.load(real, 1, b.address(function.buffer(sinks), real, head)));
  Value maximum = maxima[0], total = b.real(real, 0);
  for (Value other : ArrayRef(maxima).drop_front())
    maximum = arith::MaximumFOp::create(b, maximum, other);
  Values factors;
  for (int64_t w = 0; w < warps; ++w) {
    factors.push_back(shrink(maxima[w], maximum));
    total = b.mulAdd(totals[w], factors[w], total);
  }
  if (op.getSinks())
    total = arith::AddFOp::create(b, total, shrink(maxima.back(), maximum));
  for (int64_t piece = 0; piece < ofValues.pieces; ++piece) {
    Value sum = b.real(real, 0);
    for (int64_t w = 0; w < warps; ++w) {
      Value at = b.add(b.index(w * ofValues.columns), column(ofValues, piece));
      sum = b.mulAdd(b.load(real, 1, b.address(parts, real, at)), factors[w], sum);
    }
    write(piece, arith::DivFOp::create(b, sum, total));
  }
}

void StepBuilder::write(int64_t piece, Value value) {
  if (stored != real)
    value = arith::TruncFOp::create(b, stored, value);
  Value start = b.add(b.mul(row, rowStride(op.getOut())), b.mul(head, ofValues.columns));
  b.when(isOwn(ofValues, piece),
         [&] { b.store(value, b.address(outBuffer(), stored, b.add(start, column(ofValues, piece)))); });
}

void StepBuilder::build() {
  int64_t bytes = elementBytes(real);
  sums = function.shared("sums", warps * 2 * bytes);
  parts = function.shared("parts", warps * ofValues.columns * bytes);
  Value thread = b.threadIndex(warps * warpThreads), block = b.blockIndexX(batch * heads), number = b.blockIndexY(rows);
  lane = b.remainder(thread, warpThreads);
  warp = b.divide(thread, warpThreads);
  sequence = b.divide(block, heads);
  head = b.remainder(block, heads);
  row = b.add(b.mul(sequence, rows), number);
  if (op.getAlibi())
    slope = slopeOfHead();
  Value isValid = b.less(number, word(counts, sequence));
  Value end = b.select(isValid, b.add(word(positions, row), b.index(1)), b.index(0));
  leave(attend(queryPieces(), end));
  b.barrier();
  b.when(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, warp, b.index(0)), [&] {
    branch(
        b, isValid, [&] { combine(); },
        [&] {
          for (int64_t piece = 0; piece < ofValues.pieces; ++piece)
            write(piece, b.real(real, 0));
        });
  });
  int64_t flops = 2 * batch * rows * heads * capacity * (ofKeys.columns + ofValues.columns);
  function.finish({{batch * heads, rows}, warps * warpThreads, flops, 0});
}

static LogicalResult buildAttentionStep(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op) {
  StepBuilder step(b, kernels, cast<seq::AttentionStepOp>(op));
  if (step.sharedBytes() > mostStaticShared)
    return op->emitOpError("has heads that take ") << step.sharedBytes() << " bytes of shared memory, but a block has "
                                                   << mostStaticShared << " for them at most";
  step.build();
  return success();
}

const LibraryKernel stretto::codegen::attentionStepKernel = {seq::AttentionStepOp::getOperationName(), "decode",
                                                             buildAttentionStep};
