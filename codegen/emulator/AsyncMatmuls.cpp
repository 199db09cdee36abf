//===- AsyncMatmuls.cpp - matmuls that warpgroups start and later wait for -----===//
#include "codegen/emulator/Emulation.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// What the runtime is told of the matmul, if the emulator knows it.
static std::optional<int32_t> kindOf(NVVM::WgmmaMmaAsyncOp op) {
  using Type = NVVM::WGMMATypes;
  NVVM::MMAShapeAttr shape = op.getShape();
  if (shape.getM() != 64 || shape.getK() != 16 || op.getTypeA() != Type::bf16 || op.getTypeB() != Type::bf16 ||
      op.getTypeD() != Type::f32)
    return std::nullopt;
  int32_t kind = shape.getN();
  if (op.getLayoutA() == NVVM::MMALayout::col)
    kind |= STRETTO_EMULATED_A_TRANSPOSED;
  if (op.getLayoutB() == NVVM::MMALayout::row)
    kind |= STRETTO_EMULATED_B_TRANSPOSED;
  if (op.getScaleA() == NVVM::WGMMAScaleIn::neg)
    kind |= STRETTO_EMULATED_A_NEGATED;
  if (op.getScaleB() == NVVM::WGMMAScaleIn::neg)
    kind |= STRETTO_EMULATED_B_NEGATED;
  if (op.getScaleD() == NVVM::WGMMAScaleOut::zero)
    kind |= STRETTO_EMULATED_D_ZERO;
  return kind;
}

LogicalResult stretto::codegen::rewriteAsyncMatmul(Operation *op, Emulation &emulation) {
  auto matmul = cast<NVVM::WgmmaMmaAsyncOp>(op);
  std::optional<int32_t> kind = kindOf(matmul);
  if (!kind) {
    NVVM::MMAShapeAttr shape = matmul.getShape();
    return op->emitOpError() << "of shape m" << shape.getM() << "n" << shape.getN() << "k" << shape.getK() << ", "
                             << NVVM::stringifyWGMMATypes(matmul.getTypeD())
                             << " += " << NVVM::stringifyWGMMATypes(matmul.getTypeA()) << " * "
                             << NVVM::stringifyWGMMATypes(matmul.getTypeB())
                             << " is not known to the emulator (m64nNk16, f32 += bf16 * bf16 is)";
  }
  auto b = emulation.at(op);
  Type type = matmul.getInouts().getType();
  Value registers = emulation.scratch(matmul.getShape().getN() / 2 * 4);
  LLVM::StoreOp::create(b, matmul.getInouts(), registers);
  emulation.call(b, "stretto_emulator_multiply_async", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, *kind), matmul.getDescriptorA(),
                  matmul.getDescriptorB(), registers});
  op->replaceAllUsesWith(ValueRange{LLVM::LoadOp::create(b, type, registers)});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteCommitMatmuls(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_commit_matmuls", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0)});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteAwaitMatmuls(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  auto commits = static_cast<int64_t>(cast<NVVM::WgmmaWaitGroupSyncOp>(op).getGroup());
  Value count = LLVM::ConstantOp::create(b, b.getI32Type(), commits);
  emulation.call(b, "stretto_emulator_await_matmuls", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0), count});
  op->erase();
  return success();
}

/// What it orders is checked before anything is rewritten (codegen/cuda/async/AccumulatorUses.cpp).
LogicalResult stretto::codegen::rewriteFenceMatmuls(Operation *op, Emulation &) {
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteFenceProxy(Operation *op, Emulation &emulation) {
  NVVM::ProxyKind kind = cast<NVVM::FenceProxyOp>(op).getKind();
  if (kind != NVVM::ProxyKind::async && kind != NVVM::ProxyKind::async_shared)
    return op->emitOpError() << "of " << NVVM::stringifyProxyKind(kind)
                             << " is not known to the emulator (async and async.shared are)";
  auto b = emulation.at(op);
  emulation.facts().partial = emulation.facts().waits = true;
  emulation.call(b, "stretto_emulator_fence_proxy", Type(), emulation.self());
  op->erase();
  return success();
}
