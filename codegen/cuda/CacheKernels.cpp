//===- CacheKernels.cpp - rows into and out of caches ----------------------------===//
//
// All vectors of the rows that are moved form one list; each thread moves one of them.
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/memory/Views.h"
#include "codegen/rows/ElementMap.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t threads = 128;

/// Builds one kernel. Rows are those of a call, [batch, rows, columns].
class RowMover {
public:
  /// `moved`: the rows that are read or written beside the cache. `count`: how many there are.
  RowMover(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op, Value moved, int64_t count)
      : b(b), function(b, kernels, op), element(getElementTypeOrSelf(moved.getType())), width(lastDimension(moved)),
        rows(cast<RankedTensorType>(moved.getType()).getDimSize(1)), lanes(lanesOf(moved)),
        vectors(count * width / lanes) {}

  /// Calls `body(row, column)` for the vector of each thread.
  void run(llvm::function_ref<void(Value, Value)> body) {
    int64_t blocks = llvm::divideCeil(vectors, threads);
    Value number = b.add(b.mul(b.blockIndexX(blocks), threads), b.threadIndex(threads));
    b.when(vectors % threads ? b.less(number, vectors) : Value(),
           [&] { body(b.divide(number, width / lanes), b.mul(b.remainder(number, width / lanes), lanes)); });
    int64_t bytes = 2 * vectors * lanes * elementBytes(element);
    function.finish({{blocks, 1}, threads, 0, bytes});
  }

  /// The vector at `column` of row `row` of a buffer, whose rows are `stride` elements apart.
  Value load(unsigned buffer, Value row, int64_t stride, Value column) {
    return b.loadAligned(element, lanes, at(buffer, row, stride, column), alignment());
  }
  void store(Value value, unsigned buffer, Value row, int64_t stride, Value column) {
    b.storeAligned(value, at(buffer, row, stride, column), alignment());
  }
  Value zero() { return b.real(withLanes(element, lanes), 0); }

  /// Number `i` of a list of words.
  Value word(unsigned buffer, Value i) {
    Value word = b.load(b.getI32Type(), 1, b.address(function.buffer(buffer), b.getI32Type(), i));
    return arith::ExtSIOp::create(b, b.getI64Type(), word);
  }
  /// The row of a cache of `capacity` rows where sequence `sequence` has its `position`.
  Value slot(Value sequence, int64_t capacity, Value position) {
    return b.add(b.mul(sequence, capacity), b.remainder(position, capacity));
  }

  CudaBuilder &b;
  KernelFunction function;
  Type element;
  int64_t width, rows, lanes, vectors;

private:
  /// Of the widest vectors that rows consist of, where they lie; those of the cache are as wide, one behind the other.
  int64_t lanesOf(Value moved) const {
    int64_t stride = isRowStrided(moved) ? rowStride(moved) : width;
    return commonAlignment({width, stride, firstColumn(moved)}, element) * 8 / element.getIntOrFloatBitWidth();
  }
  Value at(unsigned buffer, Value row, int64_t stride, Value column) {
    return b.address(b.address(function.buffer(buffer), element, b.mul(row, stride)), element, column);
  }
  int64_t alignment() const { return lanes * elementBytes(element); }
};

int64_t capacityOf(Value cache) { return cast<RankedTensorType>(cache.getType()).getDimSize(1); }
int64_t rowCount(Value rows) { return elementCount(rows) / lastDimension(rows); }

void buildWrite(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::WriteCacheOp op) {
  enum { cache, from, positions, counts };
  RowMover mover(b, kernels, op, op.getRows(), rowCount(op.getRows()));
  mover.run([&](Value row, Value column) {
    Value sequence = b.divide(row, mover.rows);
    Value value = mover.load(from, row, rowStride(op.getRows()), column);
    Value slot = mover.slot(sequence, capacityOf(op.getCache()), mover.word(positions, row));
    b.when(b.less(b.remainder(row, mover.rows), mover.word(counts, sequence)),
           [&] { mover.store(value, cache, slot, mover.width, column); });
  });
}

void buildRead(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::ReadCacheOp op) {
  enum { cache, positions, to };
  RowMover mover(b, kernels, op, op.getResult(), rowCount(op.getResult()));
  mover.run([&](Value row, Value column) {
    Value position = b.add(mover.word(positions, row), b.index(-static_cast<int64_t>(op.getBack())));
    Value slot = mover.slot(b.divide(row, mover.rows), capacityOf(op.getCache()), b.maximum(position, b.index(0)));
    Value value = mover.load(cache, slot, mover.width, column);
    mover.store(b.select(b.less(position, 0), mover.zero(), value), to, row, mover.width, column);
  });
}

void buildLast(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::LastRowOp op) {
  enum { from, counts, to };
  RowMover mover(b, kernels, op, op.getRows(), op.getType().getDimSize(0));
  mover.run([&](Value sequence, Value column) {
    Value last = b.maximum(b.add(mover.word(counts, sequence), b.index(-1)), b.index(0));
    Value value = mover.load(from, b.add(b.mul(sequence, mover.rows), last), mover.width, column);
    mover.store(value, to, sequence, mover.width, column);
  });
}
} // namespace

/// The table's entry for one operation.
template <typename Op, void (*Build)(CudaBuilder &, gpu::GPUModuleOp, Op)> static LibraryKernel kernelFor() {
  return {Op::getOperationName(), "decode", [](CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op) {
            Build(b, kernels, cast<Op>(op));
            return success();
          }};
}

const LibraryKernel stretto::codegen::writeCacheKernel = kernelFor<seq::WriteCacheOp, buildWrite>();
const LibraryKernel stretto::codegen::readCacheKernel = kernelFor<seq::ReadCacheOp, buildRead>();
const LibraryKernel stretto::codegen::lastRowKernel = kernelFor<seq::LastRowOp, buildLast>();
