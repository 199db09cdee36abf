//===- Stages.cpp - places in shared memory that some warps fill and others empty --===//
#include "codegen/cuda/matmul/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// How long a wait may sleep before it looks again, in nanoseconds: a step of a tile takes several hundred.
static constexpr int32_t longestSleep = 20;

Value Stages::word(int32_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }

Value Stages::full(Value stage) { return b.address(memory, b.getI64Type(), stage); }
Value Stages::empty(Value stage) { return full(b.add(stage, b.index(stages))); }

void Stages::initialise() {
  for (int64_t stage = 0; stage < stages; ++stage) {
    NVVM::MBarrierInitOp::create(b, full(b.index(stage)), word(writers), /*predicate=*/Value());
    NVVM::MBarrierInitOp::create(b, empty(b.index(stage)), word(readers), /*predicate=*/Value());
  }
}

StagePlace Stages::start() { return {b.index(0), word(0)}; }

StagePlace Stages::next(StagePlace place) {
  Value flipped = arith::XOrIOp::create(b, place.parity, word(1));
  if (stages == 1)
    return {place.stage, flipped};
  Value after = b.add(place.stage, b.index(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, after, b.index(stages));
  return {b.select(wraps, b.index(0), after), b.select(wraps, flipped, place.parity)};
}

void Stages::awaitEmpty(StagePlace place) {
  await(empty(place.stage), arith::XOrIOp::create(b, place.parity, word(1)));
}

void Stages::await(Value barrier, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, parity, word(longestSleep));
}

void Stages::arrive(Value barrier) { NVVM::MBarrierArriveOp::create(b, b.getI64Type(), barrier, /*count=*/Value()); }

/// Nobody reads what readers of a stage have written, and what they have read they have waited for: so the arrival has
/// not the scope of the cluster, for which the assembler would put a fence of all memory in front of it
/// (MEMBAR.ALL.GPU).
void Stages::arriveEmptyOf(Value block, Value stage) {
  Type ofCluster =
      LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value number = arith::TruncIOp::create(b, b.getI32Type(), block);
  NVVM::MBarrierArriveOp::create(b, /*res=*/Type(), NVVM::MapaOp::create(b, ofCluster, empty(stage), number),
                                 /*count=*/Value());
}

void Stages::expectFull(StagePlace place, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(b, /*res=*/Type(), full(place.stage), word(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, /*predicate=*/Value());
}
