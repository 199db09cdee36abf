//===- EmbedKernel.cpp - the function of a seq.embed ------------------------------===//
//
// All vectors of the result form one list; a thread copies a few of it, a block apart. An id outside of the vocabulary is
// taken for the nearest one, so that nothing but the table is read.
#include "codegen/cuda/Embeddings.h"
#include "codegen/cuda/KernelFunction.h"

#include "codegen/rows/ElementMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;

namespace {
constexpr int64_t threads = 256, mostCopies = 4;
constexpr int64_t wantedBlocks = 4 * 132; // four for each multiprocessor of an H200

class EmbedBuilder {
public:
  EmbedBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedOp op);

  void build();
  CudaLaunch launch() const { return {{blocks, 1}, threads, 0}; }

private:
  Value read(Value number);
  int64_t bytesOf(Type element) const { return element.getIntOrFloatBitWidth() / 8; }
  /// Alignment of a vector of `element` in a row.
  int64_t alignment(Type element) const { return std::min<int64_t>(16, lanes * bytesOf(element)); }

  CudaBuilder &b;
  Type from, to;
  int64_t width, vocabulary, lanes, rowVectors, vectors, copies, blocks;
  Value tokens, table, result;
};
} // namespace

EmbedBuilder::EmbedBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedOp op)
    : b(b), from(getElementTypeOrSelf(op.getTable())), to(getElementTypeOrSelf(op.getType())),
      width(lastDimension(op.getTable())), vocabulary(cast<RankedTensorType>(op.getTable().getType()).getDimSize(0)),
      lanes(rowLanes(width, std::min(bytesOf(from), bytesOf(to)))), rowVectors(width / lanes),
      vectors(elementCount(op.getResult()) / lanes),
      copies(vectors >= wantedBlocks * threads * mostCopies ? mostCopies : 1),
      blocks(llvm::divideCeil(vectors, threads * copies)), tokens(function.buffer(0)), table(function.buffer(1)),
      result(function.buffer(2)) {}

/// Vector `number` of the result.
Value EmbedBuilder::read(Value number) {
  Type i32 = b.getI32Type();
  auto word = [&](int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)).getResult(); };
  Value token = b.load(i32, 1, b.address(tokens, i32, b.divide(number, rowVectors)));
  token = b.minimum(b.maximum(token, word(0)), word(vocabulary - 1));
  Value row = b.address(table, from, b.mul(arith::ExtUIOp::create(b, b.getI64Type(), token), width));
  Value column = b.mul(b.remainder(number, rowVectors), lanes);
  return convertReal(b, b.loadAligned(from, lanes, b.address(row, from, column), alignment(from)), to);
}

void EmbedBuilder::build() {
  Value first = b.add(b.mul(b.blockIndexX(blocks), threads * copies), b.threadIndex(threads));
  bool isRagged = vectors % (threads * copies) != 0;
  SmallVector<Value> numbers, values;
  for (int64_t copy = 0; copy < copies; ++copy) {
    numbers.push_back(b.add(first, b.index(copy * threads)));
    values.push_back(read(isRagged ? b.minimum(numbers.back(), b.index(vectors - 1)) : numbers.back()));
  }
  for (auto [number, value] : llvm::zip_equal(numbers, values))
    b.when(isRagged ? b.less(number, vectors) : Value(), [&] {
      b.storeAligned(value, b.address(result, to, b.mul(number, lanes)), alignment(to));
    });
}

LogicalResult stretto::buildEmbedKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::EmbedOp op) {
  KernelFunction function(b, kernels, op);
  EmbedBuilder embed(b, function, op);
  embed.build();
  function.finish(embed.launch());
  return success();
}
