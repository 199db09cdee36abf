//===- Matrices.cpp - matrices that the lanes of a warp hold together -----------===//
#include "codegen/emulator/Emulation.h"

#include "ir/seq/TensorBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static Value placeOf(ImplicitLocOpBuilder &b, Value memory, int64_t offset) {
  return LLVM::GEPOp::create(b, memory.getType(), b.getI8Type(), memory,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

/// The registers of `type` from `memory` on, as the operation's result: a number, or a struct of several.
static void replaceByRegisters(ImplicitLocOpBuilder &b, Operation *op, Type type, Value memory) {
  Type result = op->getResult(0).getType();
  auto group = dyn_cast<LLVM::LLVMStructType>(result);
  auto read = [&](int64_t i) -> Value {
    return LLVM::LoadOp::create(b, type, placeOf(b, memory, i * elementBytes(type)));
  };
  Value all = group ? LLVM::UndefOp::create(b, result).getResult() : read(0);
  for (size_t i = 0; group && i < group.getBody().size(); ++i)
    all = LLVM::InsertValueOp::create(b, all, read(i), ArrayRef<int64_t>{static_cast<int64_t>(i)});
  op->replaceAllUsesWith(ValueRange{all});
  op->erase();
}

constexpr int64_t matrixRowBytes = 16;

/// Only matrices of 8 x 8 numbers of 16 bits are known.
template <typename Op> static LogicalResult checkShape(Op op) {
  NVVM::LdStMatrixShapeAttr shape = op.getShape();
  if (shape.getM() == 8 && shape.getN() == 8 && op.getEltType() == NVVM::LdStMatrixEltType::B16)
    return success();
  return op.emitOpError() << "of " << shape.getM() << " x " << shape.getN() << " "
                          << NVVM::stringifyLdStMatrixEltType(op.getEltType())
                          << " is not known to the emulator (8 x 8 b16 is)";
}

LogicalResult stretto::codegen::rewriteStoreMatrices(Operation *op, Emulation &emulation) {
  auto store = cast<NVVM::StMatrixOp>(op);
  auto b = emulation.at(op);
  FailureOr<Value> access =
      describeAccess(b, op, store.getPtr(), matrixRowBytes, matrixRowBytes, /*writes=*/true, emulation);
  if (failed(checkShape(store)) || failed(access))
    return failure();
  int32_t kind = store.getLayout() == NVVM::MMALayout::col ? STRETTO_EMULATED_STORE_MATRICES_TRANSPOSED
                                                           : STRETTO_EMULATED_STORE_MATRICES;
  Value registers = emulation.scratch();
  for (auto [i, source] : llvm::enumerate(store.getSources()))
    LLVM::StoreOp::create(b, source, placeOf(b, registers, i * 4));
  Value count = LLVM::ConstantOp::create(b, b.getI32Type(), static_cast<int64_t>(store.getSources().size()));
  emulation.call(b, "stretto_emulator_store_matrices", Type(),
                 {emulation.self(), emulation.describeWait(b, op, kind), store.getPtr(), count, registers, *access});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteLoadMatrices(Operation *op, Emulation &emulation) {
  auto load = cast<NVVM::LdMatrixOp>(op);
  if (failed(checkShape(load)))
    return failure();
  auto b = emulation.at(op);
  FailureOr<Value> access =
      describeAccess(b, op, load.getPtr(), matrixRowBytes, matrixRowBytes, /*writes=*/false, emulation);
  if (failed(access))
    return failure();
  int32_t kind = load.getLayout() == NVVM::MMALayout::col ? STRETTO_EMULATED_LOAD_MATRICES_TRANSPOSED
                                                          : STRETTO_EMULATED_LOAD_MATRICES;
  Value count = LLVM::ConstantOp::create(b, b.getI32Type(), load.getNum()), registers = emulation.scratch();
  emulation.call(b, "stretto_emulator_load_matrices", Type(),
                 {emulation.self(), emulation.describeWait(b, op, kind), load.getPtr(), count, registers, *access});
  replaceByRegisters(b, op, b.getI32Type(), registers);
  return success();
}

/// Which matmul of the emulator an operation is, if any.
static std::optional<int32_t> kindOf(NVVM::MmaOp op) {
  NVVM::MMAShapeAttr shape = op.getShape();
  auto isOf = [&](int m, int n, int k, NVVM::MMATypes factors, NVVM::MMATypes sums) {
    return shape.getM() == m && shape.getN() == n && shape.getK() == k && op.getMultiplicandAPtxType() == factors &&
           op.getMultiplicandBPtxType() == factors && op.accumPtxType() == sums && op.resultPtxType() == sums;
  };
  if (isOf(16, 8, 16, NVVM::MMATypes::bf16, NVVM::MMATypes::f32))
    return STRETTO_EMULATED_MULTIPLY_BF16;
  if (isOf(16, 8, 8, NVVM::MMATypes::tf32, NVVM::MMATypes::f32))
    return STRETTO_EMULATED_MULTIPLY_TF32;
  if (isOf(8, 8, 4, NVVM::MMATypes::f64, NVVM::MMATypes::f64))
    return STRETTO_EMULATED_MULTIPLY_F64;
  return std::nullopt;
}

LogicalResult stretto::codegen::rewriteMultiply(Operation *op, Emulation &emulation) {
  auto multiply = cast<NVVM::MmaOp>(op);
  std::optional<int32_t> kind = kindOf(multiply);
  if (!kind) {
    NVVM::MMAShapeAttr shape = multiply.getShape();
    return op->emitOpError() << "of shape m" << shape.getM() << "n" << shape.getN() << "k" << shape.getK()
                             << " and these types is not known to the emulator (m16n8k16 bf16, m16n8k8 tf32 and m8n8k4 "
                                "f64 are)";
  }
  auto b = emulation.at(op);
  Value registers = emulation.scratch();
  Type sum = multiply.getOperandC().front().getType();
  const int64_t bytes = elementBytes(sum); // of each register
  for (auto [i, operand] : llvm::enumerate(multiply.getOperands()))
    LLVM::StoreOp::create(b, operand, placeOf(b, registers, i * bytes));
  emulation.call(b, "stretto_emulator_multiply", Type(),
                 {emulation.self(), emulation.describeWait(b, op, *kind), registers});
  int64_t factors = multiply.getOperandA().size() + multiply.getOperandB().size();
  replaceByRegisters(b, op, sum, placeOf(b, registers, factors * bytes));
  return success();
}
