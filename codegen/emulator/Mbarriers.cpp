//===- Mbarriers.cpp - barriers that lie in shared memory -----------------------===//
#include "codegen/emulator/Emulation.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// An operation on the mbarrier at `address` becomes a call of the runtime.
static LLVM::CallOp callOn(ImplicitLocOpBuilder &b, Operation *op, StringRef function, Type result, int32_t kind,
                           Value address, ArrayRef<Value> operands, Emulation &emulation) {
  SmallVector<Value> arguments = {emulation.self(), emulation.describePartialWait(b, op, kind), address};
  arguments.append(operands.begin(), operands.end());
  return emulation.call(b, function, result, arguments);
}

template <typename Op> static LogicalResult refusePredicate(Op op) {
  return op.getPredicate() ? op.emitOpError("with a predicate is not known to the emulator (a branch around it is)")
                           : success();
}

template <typename Op> static LogicalResult refuseRelaxed(Op op) {
  return op.getRelaxed() ? op.emitOpError("that is relaxed is not known to the emulator") : success();
}

LogicalResult stretto::codegen::rewriteInitMbarrier(Operation *op, Emulation &emulation) {
  auto init = cast<NVVM::MBarrierInitOp>(op);
  auto b = emulation.at(op);
  constexpr int64_t bytes = 8;
  FailureOr<Value> access = describeAccess(b, op, init.getAddr(), bytes, bytes, /*writes=*/true, emulation);
  if (failed(refusePredicate(init)) || failed(access))
    return failure();
  callOn(b, op, "stretto_emulator_init_mbarrier", Type(), 0, init.getAddr(), {init.getCount(), *access}, emulation);
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteInvalidateMbarrier(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  callOn(b, op, "stretto_emulator_invalidate_mbarrier", Type(), 0, op->getOperand(0), {}, emulation);
  op->erase();
  return success();
}

/// Arrives and takes the place of the operation, whose result (if any) is the phase.
static void arrive(ImplicitLocOpBuilder &b, Operation *op, Value address, Value count, Emulation &emulation) {
  if (!count)
    count = LLVM::ConstantOp::create(b, b.getI32Type(), 1);
  auto call = callOn(b, op, "stretto_emulator_arrive_mbarrier", b.getI64Type(), 0, address, {count}, emulation);
  if (op->getNumResults())
    op->replaceAllUsesWith(call);
  op->erase();
}

LogicalResult stretto::codegen::rewriteArriveAtMbarrier(Operation *op, Emulation &emulation) {
  auto arrival = cast<NVVM::MBarrierArriveOp>(op);
  if (failed(refuseRelaxed(arrival)))
    return failure();
  auto b = emulation.at(op);
  arrive(b, op, arrival.getAddr(), arrival.getCount(), emulation);
  return success();
}

/// The phase lacks so many bytes more, or less.
static void expect(ImplicitLocOpBuilder &b, Operation *op, Value address, Value count, bool more,
                   Emulation &emulation) {
  Value bytes = LLVM::ZExtOp::create(b, b.getI64Type(), count);
  if (!more)
    bytes = LLVM::SubOp::create(b, LLVM::ConstantOp::create(b, b.getI64Type(), 0), bytes);
  callOn(b, op, "stretto_emulator_expect_bytes", Type(), 0, address, {bytes}, emulation);
}

LogicalResult stretto::codegen::rewriteExpectBytes(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  auto expected = cast<NVVM::MBarrierExpectTxOp>(op);
  expect(b, op, expected.getAddr(), expected.getTxcount(), /*more=*/true, emulation);
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteCompleteBytes(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  auto complete = cast<NVVM::MBarrierCompleteTxOp>(op);
  expect(b, op, complete.getAddr(), complete.getTxcount(), /*more=*/false, emulation);
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteArriveExpectBytes(Operation *op, Emulation &emulation) {
  auto arrival = cast<NVVM::MBarrierArriveExpectTxOp>(op);
  if (failed(refusePredicate(arrival)) || failed(refuseRelaxed(arrival)))
    return failure();
  auto b = emulation.at(op);
  expect(b, op, arrival.getAddr(), arrival.getTxcount(), /*more=*/true, emulation);
  arrive(b, op, arrival.getAddr(), Value(), emulation);
  return success();
}

/// The operation repeats itself until the phase is over.
LogicalResult stretto::codegen::rewriteAwaitMbarrier(Operation *op, Emulation &emulation) {
  auto wait = cast<NVVM::MBarrierTryWaitParityOp>(op);
  auto b = emulation.at(op);
  Value parity = LLVM::ZExtOp::create(b, b.getI64Type(), wait.getPhase());
  callOn(b, op, "stretto_emulator_await_mbarrier", Type(), STRETTO_EMULATED_PHASE_PARITY, wait.getAddr(), {parity},
         emulation);
  op->erase();
  return success();
}

template <typename Op> static LogicalResult rewriteTest(Op op, Emulation &emulation) {
  if (failed(refuseRelaxed(op)))
    return failure();
  auto b = emulation.at(op);
  Value phase = op.getStateOrPhase();
  const bool isNumber = phase.getType().isInteger(64);
  if (!isNumber)
    phase = LLVM::ZExtOp::create(b, b.getI64Type(), phase);
  Value result =
      callOn(b, op, "stretto_emulator_test_mbarrier", b.getI32Type(),
             isNumber ? STRETTO_EMULATED_PHASE_NUMBER : STRETTO_EMULATED_PHASE_PARITY, op.getAddr(), {phase}, emulation)
          .getResult();
  op.replaceAllUsesWith(LLVM::TruncOp::create(b, b.getI1Type(), result).getResult());
  op.erase();
  return success();
}

LogicalResult stretto::codegen::rewriteTestMbarrier(Operation *op, Emulation &emulation) {
  if (auto test = dyn_cast<NVVM::MBarrierTestWaitOp>(op))
    return rewriteTest(test, emulation);
  return rewriteTest(cast<NVVM::MBarrierTryWaitOp>(op), emulation);
}
