//===- Accumulators.cpp - sums of a warpgroup in registers --------------------------===//
#include "codegen/cuda/matmul/Accumulators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Value Accumulators::zero() {
  constexpr int64_t threads = MatmulTiling::warpgroupWarps * warpThreads;
  SmallVector<Type> sums(MatmulTiling::matmulRows * tiling.tileColumns() / threads, b.getF32Type());
  return LLVM::ZeroOp::create(b, LLVM::LLVMStructType::getLiteral(b.getContext(), sums));
}

Value Accumulators::multiply(Value sums, Operands &operands, Value stage, Value warpgroup, bool isFirst) {
  constexpr auto factor = NVVM::WGMMATypes::bf16;
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), MatmulTiling::matmulRows, tiling.tileColumns(),
                                       MatmulTiling::termsOfMatmul);
  auto layout = tiling.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row; // of the weight as [terms, columns]
  Value left = operands.left(stage, warpgroup), right = operands.right(stage);
  NVVM::WgmmaFenceAlignedOp::create(b);
  for (int64_t i = 0; i < MatmulTiling::stepDepth / MatmulTiling::termsOfMatmul; ++i)
    sums = NVVM::WgmmaMmaAsyncOp::create(
        b, sums.getType(), sums, b.add(left, b.index(i * Operands::leftAdvance)),
        b.add(right, b.index(i * operands.rightAdvance())), shape, factor, factor, NVVM::WGMMATypes::f32,
        isFirst && i == 0 ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one,
        NVVM::WGMMAScaleIn::one, NVVM::MMALayout::row, layout, NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  return sums;
}

void Accumulators::await(int64_t left) { NVVM::WgmmaWaitGroupSyncOp::create(b, left); }

/// Two neighbours in one register.
Value Accumulators::roundPair(Value sums, int64_t number) {
  Value pair = b.real(withLanes(b.getF32Type(), 2), 0);
  for (int64_t i : {0, 1})
    pair = vector::InsertOp::create(b, LLVM::ExtractValueOp::create(b, sums, number + i), pair, i);
  Value rounded = arith::TruncFOp::create(b, withLanes(b.getBF16Type(), 2), pair);
  Value word = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), rounded);
  return vector::ExtractOp::create(b, word, 0);
}

void Accumulators::stage(Value sums, Value staging, Value warp, Value lane) {
  // Of four matrices of 8 x 8 numbers, lane 8 i + j names row j of matrix i: two below each other, then two beside
  // them.
  constexpr int64_t warpRows = MatmulTiling::matmulRows / MatmulTiling::warpgroupWarps, pairColumns = 16;
  Value row = b.add(b.mul(warp, warpRows), b.remainder(lane, warpRows)), half = b.divide(lane, warpRows);
  Value place =
      b.address(b.address(staging, b.getI8Type(), b.mul(row, tiling.pitch())), b.getBF16Type(), b.mul(half, 8));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (int64_t column = 0; column < tiling.tileColumns(); column += pairColumns) {
    SmallVector<Value> matrices;
    for (int64_t pair = 0; pair < 4; ++pair)
      matrices.push_back(roundPair(sums, column / 2 + 2 * pair));
    NVVM::StMatrixOp::create(b, b.address(place, b.getBF16Type(), column), matrices, NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
}
