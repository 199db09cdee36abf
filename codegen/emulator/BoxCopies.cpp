//===- BoxCopies.cpp - bulk tensor copies (TMA) ---------------------------------===//
#include "codegen/emulator/Emulation.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LogicalResult stretto::codegen::rewriteBoxCopy(Operation *op, Emulation &emulation) {
  auto copy = cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
  if (copy.getMode() != NVVM::TMALoadMode::TILE || copy.getMulticastMask() || copy.getGroup() || copy.getPredicate())
    return op->emitOpError("is known to the emulator only in tile mode, without multicast, group or predicate");
  auto b = emulation.at(op);
  // Whole granules of 16 bytes; the runtime knows how many.
  constexpr int64_t unit = 16, alignment = 128;
  FailureOr<Value> access = describeAccess(b, op, copy.getDstMem(), unit, alignment, /*writes=*/true, emulation);
  if (failed(access))
    return failure();
  auto count = static_cast<int64_t>(copy.getCoordinates().size());
  Value coordinates = emulation.scratch();
  for (auto [i, coordinate] : llvm::enumerate(copy.getCoordinates()))
    LLVM::StoreOp::create(b, coordinate,
                          LLVM::GEPOp::create(b, coordinates.getType(), b.getI32Type(), coordinates,
                                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)}));
  Value rank = LLVM::ConstantOp::create(b, b.getI32Type(), count);
  emulation.call(b, "stretto_emulator_copy_box", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0), copy.getDstMem(), copy.getTmaDescriptor(),
                  copy.getMbar(), coordinates, rank, *access});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteFenceMbarriers(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_fence_mbarriers", Type(), emulation.self());
  op->erase();
  return success();
}
