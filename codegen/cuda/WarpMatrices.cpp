//===- WarpMatrices.cpp - matmuls whose matrices a warp holds ---------------===//
#include "codegen/cuda/WarpMatrices.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

WarpMatmul stretto::codegen::warpMatmulOf(Type factor) {
  if (factor.isBF16())
    return {NVVM::MMATypes::bf16, 16, 16, 2};
  if (factor.isF32())
    return {NVVM::MMATypes::tf32, 16, 8, 1};
  assert(factor.isF64() && "tensor cores take bf16, f32 and f64");
  return {NVVM::MMATypes::f64, 8, 4, 1};
}

/// The values of a struct.
static SmallVector<Value> unpack(CudaBuilder &b, Value group, int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, group, i));
  return values;
}

SmallVector<Value> stretto::codegen::multiply(CudaBuilder &b, const WarpMatmul &matmul, ValueRange left,
                                              ValueRange right, ValueRange sums) {
  assert(static_cast<int64_t>(left.size()) == matmul.leftRegisters() &&
         static_cast<int64_t>(right.size()) == matmul.rightRegisters() &&
         static_cast<int64_t>(sums.size()) == matmul.sums() && "fragments have other sizes");
  SmallVector<Type> types(sums.getTypes());
  int64_t shape[] = {matmul.rows, WarpMatmul::columns, matmul.inner};
  Value result = NVVM::MmaOp::create(b, LLVM::LLVMStructType::getLiteral(b.getContext(), types), left, right, sums,
                                     shape, std::nullopt, std::nullopt, std::array{matmul.factor, matmul.factor},
                                     std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  return unpack(b, result, matmul.sums());
}

Value stretto::codegen::roundToTF32(CudaBuilder &b, Value number) {
  return NVVM::ConvertFloatToTF32Op::create(b, b.getI32Type(), number, NVVM::FPRoundingMode::RNA);
}

/// ldmatrix of four 8 x 8 matrices, whose numbers lie at (0, 0), (8, 0), (0, 8), (8, 8) of a block if `downFirst`, else
/// at (0, 0), (0, 8), (8, 0), (8, 8). Lane 8 i + j names row j of matrix i.
static SmallVector<Value> loadBlock(CudaBuilder &b, const SharedMatrix &matrix, Value row, Value column, Value lane,
                                    bool downFirst, NVVM::MMALayout layout) {
  Value second = b.remainder(b.divide(lane, 8), 2), third = b.divide(lane, 16);
  Value down = downFirst ? second : third, across = downFirst ? third : second;
  Value ownRow = b.add(row, b.add(b.mul(down, 8), b.remainder(lane, 8)));
  Value offset = b.add(b.mul(ownRow, matrix.stride), b.add(column, b.mul(across, 8)));
  Value place = b.address(matrix.start, b.getBF16Type(), offset);
  constexpr int64_t matrices = 4;
  Type group = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(matrices, b.getI32Type()));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(b, group, place, matrices, layout, shape, NVVM::LdStMatrixEltType::B16);
  return unpack(b, loaded, matrices);
}

SmallVector<Value> stretto::codegen::loadFactor(CudaBuilder &b, Factor factor, const SharedMatrix &matrix, Value row,
                                                Value column, Value lane, bool transposed) {
  // Registers go down the rows of a left factor first, along the inner dimension of a right one; lanes hold rows of a
  // left factor, columns of a right one.
  auto layout = (factor == Factor::left) == transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  return loadBlock(b, matrix, row, column, lane, /*downFirst=*/!transposed, layout);
}
