//===- BoxCopies.cpp - bulk tensor copies (TMA) ---------------------------------===//
#include "codegen/emulator/Emulation.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Of boxes in shared memory: whole granules of 16 bytes; the runtime knows how many.
static constexpr int64_t unit = 16, alignment = 128;

/// Where the runtime finds the coordinates, and how many there are.
static std::pair<Value, Value> passCoordinates(ImplicitLocOpBuilder &b, OperandRange coordinates,
                                               Emulation &emulation) {
  Value memory = emulation.scratch();
  for (auto [i, coordinate] : llvm::enumerate(coordinates))
    LLVM::StoreOp::create(b, coordinate,
                          LLVM::GEPOp::create(b, memory.getType(), b.getI32Type(), memory,
                                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
  return {memory, LLVM::ConstantOp::create(b, b.getI32Type(), static_cast<int64_t>(coordinates.size()))};
}

LogicalResult stretto::codegen::rewriteBoxStore(Operation *op, Emulation &emulation) {
  auto store = cast<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(op);
  if (store.getMode() != NVVM::TMAStoreMode::TILE || store.getPredicate())
    return op->emitOpError("is known to the emulator only in tile mode, without predicate");
  int64_t buffer = emulation.mappedBufferOf(store.getTmaDescriptor());
  if (buffer < 0)
    return op->emitOpError("must name one of the tensor maps that the kernel takes to be emulated");
  auto b = emulation.at(op);
  FailureOr<Value> access = describeAccess(b, op, store.getSrcMem(), unit, alignment, /*writes=*/false, emulation);
  if (failed(access))
    return failure();
  emulation.facts().written.set(buffer);
  auto [coordinates, rank] = passCoordinates(b, store.getCoordinates(), emulation);
  emulation.call(b, "stretto_emulator_store_box", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0), store.getSrcMem(),
                  store.getTmaDescriptor(), coordinates, rank, *access});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteCommitStores(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_commit_stores", Type(), emulation.self());
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteAwaitStores(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  Value commits = LLVM::ConstantOp::create(b, b.getI32Type(), cast<NVVM::CpAsyncBulkWaitGroupOp>(op).getGroup());
  emulation.call(b, "stretto_emulator_await_stores", Type(), {emulation.self(), commits});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteBoxCopy(Operation *op, Emulation &emulation) {
  auto copy = cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
  if (copy.getMode() != NVVM::TMALoadMode::TILE || copy.getGroup() || copy.getPredicate())
    return op->emitOpError("is known to the emulator only in tile mode, without group or predicate");
  auto b = emulation.at(op);
  FailureOr<Value> access = describeAccess(b, op, copy.getDstMem(), unit, alignment, /*writes=*/true, emulation);
  if (failed(access))
    return failure();
  auto [coordinates, rank] = passCoordinates(b, copy.getCoordinates(), emulation);
  Value blocks = copy.getMulticastMask()
                     ? LLVM::ZExtOp::create(b, b.getI32Type(), copy.getMulticastMask()).getResult()
                     : LLVM::ConstantOp::create(b, b.getI32Type(), STRETTO_EMULATED_OWN_BLOCK).getResult();
  emulation.call(b, "stretto_emulator_copy_box", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0), copy.getDstMem(), copy.getTmaDescriptor(),
                  copy.getMbar(), coordinates, rank, blocks, *access});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteFenceMbarriers(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_fence_mbarriers", Type(), emulation.self());
  op->erase();
  return success();
}
