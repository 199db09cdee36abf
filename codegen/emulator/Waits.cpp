//===- Waits.cpp - where threads wait for each other ----------------------------===//
#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/Renewals.h"
#include "codegen/emulator/Emulation.h"
#include "ir/kern/Attributes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// A barrier by its number (null: 0) for some threads (null: all those of the block).
static LogicalResult meetAtNumber(Operation *op, Value number, Value threads, int32_t kind, Emulation &emulation) {
  auto b = emulation.at(op);
  auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto all = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr);
  if (!threads && !all)
    return op->emitOpError("of all threads must stand in a kernel to be emulated");
  if (!number)
    number = LLVM::ConstantOp::create(b, b.getI32Type(), 0);
  if (!threads)
    threads = LLVM::ConstantOp::create(b, b.getI32Type(), all.getInt());
  emulation.call(b, "stretto_emulator_named_barrier", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, kind), number, threads});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteBarrier(Operation *op, Emulation &emulation) {
  auto barrier = dyn_cast<NVVM::BarrierOp>(op);
  if (op->getNumResults())
    return op->emitOpError("with a reduction is not known to the emulator");
  if (barrier && barrier.getBarrierId())
    return meetAtNumber(op, barrier.getBarrierId(), barrier.getNumberOfThreads(), STRETTO_EMULATED_ARRIVE_AND_WAIT,
                        emulation);
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_barrier", Type(), {emulation.self(), emulation.describeWait(b, op, 0)});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteArriveAtBarrier(Operation *op, Emulation &emulation) {
  auto arrive = cast<NVVM::BarrierArriveOp>(op);
  return meetAtNumber(op, arrive.getBarrierId(), arrive.getNumberOfThreads(), STRETTO_EMULATED_ARRIVE, emulation);
}

/// All threads of the warpgroup execute it. Numbers do not depend on how many registers there are, but the group may
/// have to wait for them.
LogicalResult stretto::codegen::rewriteSetMaxRegister(Operation *op, Emulation &emulation) {
  auto exchange = cast<NVVM::SetMaxRegisterOp>(op);
  auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto threads = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr);
  if (!threads)
    return op->emitOpError("must stand in a kernel to be emulated");
  auto b = emulation.at(op);
  auto number = [&](int64_t value) { return LLVM::ConstantOp::create(b, b.getI32Type(), value); };
  bool takes = exchange.getAction() == NVVM::SetMaxRegisterAction::increase;
  emulation.call(b, takes ? "stretto_emulator_take_registers" : "stretto_emulator_give_registers", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0), number(exchange.getRegCount()),
                  number(launchRegistersOf(kernel, threads.getInt()))});
  op->erase();
  return success();
}

/// The 64 bits of a collective operation; operands are i32.
static Value collect(ImplicitLocOpBuilder &b, Operation *op, Emulation &emulation, int32_t kind, Value mask,
                     ArrayRef<Value> operands) {
  Value zero = operands.size() < 3 ? LLVM::ConstantOp::create(b, b.getI32Type(), 0) : Value();
  SmallVector<Value> arguments = {emulation.self(), emulation.describeWait(b, op, kind), mask};
  arguments.append(operands.begin(), operands.end());
  arguments.resize(6, zero);
  return emulation.call(b, "stretto_emulator_collective", b.getI64Type(), arguments).getResult();
}

static Value lowerHalf(ImplicitLocOpBuilder &b, Value value) { return LLVM::TruncOp::create(b, b.getI32Type(), value); }

LogicalResult stretto::codegen::rewriteSyncWarp(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  collect(b, op, emulation, STRETTO_EMULATED_SYNC_WARP, cast<NVVM::SyncWarpOp>(op).getMask(), {});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteElect(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  Value mask = cast<NVVM::ElectSyncOp>(op).getMembermask();
  if (!mask)
    mask = LLVM::ConstantOp::create(b, b.getI32Type(), -1);
  Value result = collect(b, op, emulation, STRETTO_EMULATED_ELECT, mask, {});
  op->replaceAllUsesWith(ValueRange{LLVM::TruncOp::create(b, b.getI1Type(), result)});
  op->erase();
  return success();
}

static int32_t kindOf(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return STRETTO_EMULATED_SHUFFLE_BFLY;
  case NVVM::ShflKind::up:
    return STRETTO_EMULATED_SHUFFLE_UP;
  case NVVM::ShflKind::down:
    return STRETTO_EMULATED_SHUFFLE_DOWN;
  case NVVM::ShflKind::idx:
    return STRETTO_EMULATED_SHUFFLE_IDX;
  }
  llvm_unreachable("unknown kind of shuffle");
}

LogicalResult stretto::codegen::rewriteShuffle(Operation *op, Emulation &emulation) {
  auto shuffle = cast<NVVM::ShflOp>(op);
  if (op->hasAttr(renewalAttr)) { // its own number, for compilers alone
    shuffle.replaceAllUsesWith(shuffle.getVal());
    return op->erase(), success();
  }
  auto b = emulation.at(op);
  Type type = shuffle.getVal().getType();
  Value operand = LLVM::BitcastOp::create(b, b.getI32Type(), shuffle.getVal());
  Value both = collect(b, op, emulation, kindOf(shuffle.getKind()), shuffle.getThreadMask(),
                       {operand, shuffle.getOffset(), shuffle.getMaskAndClamp()});
  Value result = LLVM::BitcastOp::create(b, type, lowerHalf(b, both));
  if (shuffle.getReturnValueAndIsValid()) {
    Value shift = LLVM::ConstantOp::create(b, b.getI64Type(), 32);
    Value isValid = LLVM::TruncOp::create(b, b.getI1Type(), LLVM::LShrOp::create(b, both, shift));
    Value pair = LLVM::UndefOp::create(b, op->getResult(0).getType());
    pair = LLVM::InsertValueOp::create(b, pair, result, ArrayRef<int64_t>{0});
    result = LLVM::InsertValueOp::create(b, pair, isValid, ArrayRef<int64_t>{1});
  }
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
  return success();
}

static int32_t kindOf(NVVM::VoteSyncKind kind) {
  switch (kind) {
  case NVVM::VoteSyncKind::any:
    return STRETTO_EMULATED_VOTE_ANY;
  case NVVM::VoteSyncKind::all:
    return STRETTO_EMULATED_VOTE_ALL;
  case NVVM::VoteSyncKind::uni:
    return STRETTO_EMULATED_VOTE_UNI;
  case NVVM::VoteSyncKind::ballot:
    return STRETTO_EMULATED_VOTE_BALLOT;
  }
  llvm_unreachable("unknown kind of vote");
}

LogicalResult stretto::codegen::rewriteVote(Operation *op, Emulation &emulation) {
  auto vote = cast<NVVM::VoteSyncOp>(op);
  auto b = emulation.at(op);
  Value predicate = LLVM::ZExtOp::create(b, b.getI32Type(), vote.getPred());
  Value result = collect(b, op, emulation, kindOf(vote.getKind()), vote.getMask(), {predicate});
  op->replaceAllUsesWith(ValueRange{LLVM::TruncOp::create(b, vote.getType(), result)});
  op->erase();
  return success();
}

static std::optional<int32_t> kindOf(NVVM::ReduxKind kind) {
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return STRETTO_EMULATED_REDUCE_ADD;
  case NVVM::ReduxKind::AND:
    return STRETTO_EMULATED_REDUCE_AND;
  case NVVM::ReduxKind::OR:
    return STRETTO_EMULATED_REDUCE_OR;
  case NVVM::ReduxKind::XOR:
    return STRETTO_EMULATED_REDUCE_XOR;
  case NVVM::ReduxKind::MIN:
    return STRETTO_EMULATED_REDUCE_MIN;
  case NVVM::ReduxKind::MAX:
    return STRETTO_EMULATED_REDUCE_MAX;
  case NVVM::ReduxKind::UMIN:
    return STRETTO_EMULATED_REDUCE_UMIN;
  case NVVM::ReduxKind::UMAX:
    return STRETTO_EMULATED_REDUCE_UMAX;
  default:
    return std::nullopt;
  }
}

LogicalResult stretto::codegen::rewriteRedux(Operation *op, Emulation &emulation) {
  auto redux = cast<NVVM::ReduxOp>(op);
  std::optional<int32_t> kind = kindOf(redux.getKind());
  if (!kind || !redux.getType().isInteger(32))
    return op->emitOpError() << NVVM::stringifyReduxKind(redux.getKind()) << " of " << redux.getType()
                             << " is not known to the emulator";
  auto b = emulation.at(op);
  Value result = collect(b, op, emulation, *kind, redux.getMaskAndClamp(), {redux.getVal()});
  op->replaceAllUsesWith(ValueRange{lowerHalf(b, result)});
  op->erase();
  return success();
}
