//===- EmbedKernel.cpp - the function of a seq.embed ------------------------------===//
//
// All vectors of the result form one list; a thread copies a few of it, a block apart. An id outside of the vocabulary
// is taken for the nearest one, so that nothing but the table is read.
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/rows/ElementMap.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t threads = 256, mostCopies = 4;
constexpr int64_t wantedBlocks = 4 * multiprocessors;

class EmbedBuilder {
public:
  EmbedBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedOp op);

  void build();
  /// Of the table only what is copied is read.
  CudaLaunch launch() const {
    return {{blocks, 1}, threads, 0, 2 * vectors * lanes * bytes + vectors / rowVectors * 4};
  }

private:
  Value read(Value number);
  int64_t alignment() const { return lanes * bytes; }

  CudaBuilder &b;
  Type element;
  int64_t bytes, width, vocabulary, lanes, rowVectors, vectors, copies, blocks;
  Value tokens, table, result;
};
} // namespace

EmbedBuilder::EmbedBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedOp op)
    : b(b), element(getElementTypeOrSelf(op.getType())), bytes(elementBytes(element)),
      width(lastDimension(op.getTable())), vocabulary(cast<RankedTensorType>(op.getTable().getType()).getDimSize(0)),
      lanes(rowLanes(width, bytes)), rowVectors(width / lanes), vectors(elementCount(op.getResult()) / lanes),
      copies(vectors >= wantedBlocks * threads * mostCopies ? mostCopies : 1),
      blocks(llvm::divideCeil(vectors, threads * copies)), tokens(function.buffer(0)), table(function.buffer(1)),
      result(function.buffer(2)) {}

/// Vector `number` of the result.
Value EmbedBuilder::read(Value number) {
  Type i32 = b.getI32Type();
  auto word = [&](int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)).getResult(); };
  Value token = b.load(i32, 1, b.address(tokens, i32, b.divide(number, rowVectors)));
  token = b.minimum(b.maximum(token, word(0)), word(vocabulary - 1));
  Value row = b.address(table, element, b.mul(arith::ExtUIOp::create(b, b.getI64Type(), token), width));
  Value column = b.mul(b.remainder(number, rowVectors), lanes);
  return b.loadAligned(element, lanes, b.address(row, element, column), alignment());
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
    b.when(isRagged ? b.less(number, vectors) : Value(),
           [&] { b.storeAligned(value, b.address(result, element, b.mul(number, lanes)), alignment()); });
}

static LogicalResult buildEmbed(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op) {
  KernelFunction function(b, kernels, op);
  EmbedBuilder embed(b, function, cast<seq::EmbedOp>(op));
  embed.build();
  function.finish(embed.launch());
  return success();
}

const LibraryKernel stretto::codegen::embedKernel = {seq::EmbedOp::getOperationName(), "embed", buildEmbed};
