//===- Operands.cpp - operands of a matmul on their way to tensor cores ------------===//
#include "codegen/cuda/matmul/Operands.h"

#include "codegen/memory/Views.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

// A descriptor has a start, and two distances, in units of 16 bytes: its bits 0, 16 and 32 and on. The bits from 62 on
// name the pattern: 1 for lines of 128 bytes. A pattern has eight lines, the next one lies behind it (the second
// distance). The first distance is that of columns of a weight as rows from the next 64 columns, else not read.
static constexpr int64_t unit = 16, addressBits = 0x3ffff;
static constexpr int64_t pattern = int64_t(1) << 62;

Operands::Operands(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
                   Value shared)
    : b(b), tiling(tiling), shared(shared) {
  constexpr int64_t side = MatmulTiling::stepDepth;
  leftMap = function.tensorMap(mapOf(op.getLhs(), 0, {tiling.tileRows, side}));
  rightMap = function.tensorMap(mapOf(op.getRhs(), 1, {tiling.boxLines(), side}));
}

kern::TensorMapAttr Operands::mapOf(Value operand, unsigned number, ArrayRef<int64_t> box) {
  Type element = typeOf(operand).getElementType();
  int64_t width = typeOf(operand).getShape().back();
  int64_t sizes[] = {elementsOf(operand) / width, width}, stride = width * elementBytes(element);
  return kern::TensorMapAttr::get(b.getContext(), number, element, sizes, stride, box, MatmulTiling::lineBytes);
}

//===- Copies -----------------------------------------------------------------===//

/// As the mask of a copy; null: the block alone.
Value Operands::wholeCluster() {
  if (tiling.cluster == 1)
    return Value();
  return arith::ConstantOp::create(b, b.getI16IntegerAttr(static_cast<int16_t>((1 << tiling.cluster) - 1)));
}

void Operands::copyBox(Value map, Value to, Value line, Value column, Value full, Value blocks) {
  auto word = [&](Value index) { return arith::TruncIOp::create(b, b.getI32Type(), index).getResult(); };
  Type ofCluster =
      LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, LLVM::AddrSpaceCastOp::create(b, ofCluster, to), map, ValueRange{word(column), word(line)}, full,
      /*im2colOffsets=*/ValueRange(), /*multicastMask=*/blocks, /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
      /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void Operands::copy(Value step, MatmulTile tile, Value rank, Value stage, Value full) {
  Value term = b.mul(step, MatmulTiling::stepDepth);
  copyBox(leftMap, b.address(shared, b.getI8Type(), b.mul(stage, tiling.leftBytes())), tile.row, term, full);
  Value to = b.address(b.address(shared, b.getI8Type(), tiling.rightStart()), b.getI8Type(),
                       b.mul(stage, tiling.rightBytes()));
  Value part = b.mul(rank, tiling.boxLines()), blocks = wholeCluster();
  to = b.address(to, b.getI8Type(), b.mul(part, MatmulTiling::lineBytes));
  int64_t boxColumns = tiling.isTransposed ? tiling.strip : MatmulTiling::stepDepth;
  for (int64_t column = 0; column < tiling.tileColumns(); column += boxColumns) {
    int64_t piece = column / tiling.strip, inStrip = column % tiling.strip;
    Value first = b.add(b.mul(tile.strip, tiling.strip), b.index(piece * tiling.pieceColumns() + inStrip));
    Value place = b.address(to, b.getI8Type(), column * MatmulTiling::lineBytes);
    if (tiling.isTransposed)
      copyBox(rightMap, place, b.add(first, part), term, full, blocks);
    else
      copyBox(rightMap, place, b.add(term, part), first, full, blocks);
  }
}

//===- Descriptors ------------------------------------------------------------===//

Value Operands::descriptor(int64_t start, int64_t firstDistance) {
  Value place = b.address(shared, b.getI8Type(), start);
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), place);
  Value inUnits = b.divide(arith::AndIOp::create(b, address, b.index(addressBits)), unit);
  constexpr int64_t secondDistance = MatmulTiling::patternLines * MatmulTiling::lineBytes;
  int64_t form = pattern | secondDistance / unit << 32 | firstDistance / unit << 16;
  return arith::OrIOp::create(b, inUnits, b.index(form));
}

Value Operands::left(Value stage, Value warpgroup) {
  constexpr int64_t warpgroupBytes = MatmulTiling::matmulRows * MatmulTiling::lineBytes;
  Value first = b.add(descriptor(0, 0), b.mul(warpgroup, warpgroupBytes / unit));
  return b.add(first, b.mul(stage, tiling.leftBytes() / unit));
}

Value Operands::right(Value stage) {
  int64_t firstDistance = tiling.isTransposed ? 0 : MatmulTiling::stepDepth * MatmulTiling::lineBytes;
  return b.add(descriptor(tiling.rightStart(), firstDistance), b.mul(stage, tiling.rightBytes() / unit));
}

int64_t Operands::rightAdvance() const {
  return tiling.isTransposed ? leftAdvance : MatmulTiling::termsOfMatmul * MatmulTiling::lineBytes / unit;
}
