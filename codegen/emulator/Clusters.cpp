//===- Clusters.cpp - what blocks of a cluster do together ---------------------------===//
#include "codegen/emulator/Emulation.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LogicalResult stretto::codegen::rewriteArriveAtCluster(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  int32_t kind = isa<NVVM::ClusterArriveOp>(op) ? STRETTO_EMULATED_RELEASES : STRETTO_EMULATED_RELAXED;
  emulation.call(b, "stretto_emulator_arrive_cluster", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, kind)});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteAwaitCluster(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_await_cluster", Type(),
                 {emulation.self(), emulation.describePartialWait(b, op, 0)});
  op->erase();
  return success();
}

/// Accesses through its result have to be rewritten before it: they belong to other blocks than those through its
/// operand.
LogicalResult stretto::codegen::rewriteMapShared(Operation *op, Emulation &emulation) {
  auto map = cast<NVVM::MapaOp>(op);
  if (cast<LLVM::LLVMPointerType>(map.getType()).getAddressSpace() == 0)
    return op->emitOpError("of generic addresses is not known to the emulator (of shared memory it is)");
  auto b = emulation.at(op);
  Value wait = emulation.describePartialWait(b, op, 0);
  emulation.later([map, wait, &emulation]() mutable {
    auto b = emulation.at(map);
    Type pointer = LLVM::LLVMPointerType::get(map.getContext());
    map.replaceAllUsesWith(
        emulation.call(b, "stretto_emulator_map_shared", pointer, {emulation.self(), wait, map.getA(), map.getB()})
            .getResult());
    map.erase();
  });
  return success();
}
