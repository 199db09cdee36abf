//===- CudaBuilder.cpp - small pieces of device code ---------------------------===//
#include "codegen/cuda/CudaBuilder.h"

#include "codegen/cuda/Renewals.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int64_t stretto::codegen::commonAlignment(ArrayRef<int64_t> offsets, Type element) {
  int64_t elements = 0;
  for (int64_t offset : offsets)
    elements = std::gcd(elements, offset);
  int64_t bytes = elements * elementBytes(element);
  return bytes == 0 ? widestAccess : std::min(widestAccess, bytes & -bytes);
}

/// Reads a special register whose value is below `count`.
template <typename Register> static Value readRegister(CudaBuilder &b, int64_t count) {
  if (count == 1)
    return b.index(0);
  Type i32 = b.getI32Type();
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), 32, 0, count);
  Value number = Register::create(b, i32, range);
  return arith::ExtUIOp::create(b, b.getI64Type(), number);
}

Value CudaBuilder::threadIndex(int64_t threads) { return readRegister<NVVM::ThreadIdXOp>(*this, threads); }
Value CudaBuilder::blockIndexX(int64_t blocks) { return readRegister<NVVM::BlockIdXOp>(*this, blocks); }
Value CudaBuilder::blockIndexY(int64_t blocks) { return readRegister<NVVM::BlockIdYOp>(*this, blocks); }

Value CudaBuilder::less(Value a, Value b) { return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b); }
Value CudaBuilder::divide(Value a, int64_t b) { return createOrFold<arith::DivUIOp>(a, index(b)); }
Value CudaBuilder::remainder(Value a, int64_t b) { return createOrFold<arith::RemUIOp>(a, index(b)); }

Value CudaBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return createOrFold<arith::AndIOp>(a, b);
}

Value CudaBuilder::select(Value condition, Value a, Value b) {
  return condition ? createOrFold<arith::SelectOp>(condition, a, b) : a;
}

void CudaBuilder::barrier() { NVVM::Barrier0Op::create(*this); }

void CudaBuilder::barrier(Value number, int64_t threads) {
  Value id = createOrFold<arith::TruncIOp>(getI32Type(), number);
  Value count = arith::ConstantOp::create(*this, getI32IntegerAttr(static_cast<int32_t>(threads)));
  NVVM::BarrierOp::create(*this, /*res=*/Type(), id, count, NVVM::BarrierReductionAttr(), /*predicate=*/Value());
}

static Value allLanes(CudaBuilder &b) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)); }

void CudaBuilder::syncWarp() { NVVM::SyncWarpOp::create(*this, allLanes(*this)); }

Value CudaBuilder::ballot(Value condition) {
  return NVVM::VoteSyncOp::create(*this, getI32Type(), allLanes(*this), condition, NVVM::VoteSyncKind::ballot);
}

Value CudaBuilder::exchange(Value value, int64_t mask) {
  auto i32 = [&](int64_t number) { return arith::ConstantOp::create(*this, getI32IntegerAttr(number)).getResult(); };
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(*this, word.getType(), i32(-1), word, i32(mask), i32(warpThreads - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type type = value.getType();
  if (!type.isF64())
    return shuffle(value);
  // Two halves travel alone.
  Type i64 = getI64Type(), half = getI32Type();
  Value bits = arith::BitcastOp::create(*this, i64, value), shift = index(32);
  Value low = shuffle(arith::TruncIOp::create(*this, half, bits));
  Value high = shuffle(arith::TruncIOp::create(*this, half, arith::ShRUIOp::create(*this, bits, shift)));
  Value joined = arith::OrIOp::create(*this, arith::ExtUIOp::create(*this, i64, low),
                                      arith::ShLIOp::create(*this, arith::ExtUIOp::create(*this, i64, high), shift));
  return arith::BitcastOp::create(*this, type, joined);
}

Value CudaBuilder::renew(Value number, int64_t end, int64_t step) {
  Value word = exchange(arith::TruncIOp::create(*this, getI32Type(), number), /*mask=*/0);
  word.getDefiningOp()->setAttr(renewalAttr, getI64IntegerAttr(step));
  return remainder(arith::ExtUIOp::create(*this, getI64Type(), word), end);
}

Value CudaBuilder::reduceLanes(seq::ReduceKind kind, Value value, int64_t lanes) {
  for (int64_t mask = lanes / 2; mask > 0; mask /= 2)
    value = combine(kind, value, exchange(value, mask));
  return value;
}

void CudaBuilder::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  branch.thenBlock()->getTerminator()->erase(); // the body may add code at the end
  setInsertionPointToEnd(branch.thenBlock());
  body();
  scf::YieldOp::create(*this);
  setInsertionPointAfter(branch);
}

Value CudaBuilder::loadAligned(Type element, int64_t lanes, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(*this, withLanes(element, lanes), pointer, alignment);
}

Value CudaBuilder::loadWhere(Value condition, Type element, int64_t lanes, Value pointer, int64_t alignment) {
  if (!condition)
    return loadAligned(element, lanes, pointer, alignment);
  Type type = withLanes(element, lanes);
  auto branch = scf::IfOp::create(*this, type, condition, /*withElseRegion=*/true);
  setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(*this, loadAligned(element, lanes, pointer, alignment));
  setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(*this, arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(type))).getResult());
  setInsertionPointAfter(branch);
  return branch.getResult(0);
}

void CudaBuilder::copyAsync(Value to, Value from, Value where, int32_t bytes) {
  auto number = [&](int32_t value) { return arith::ConstantOp::create(*this, getI32IntegerAttr(value)).getResult(); };
  Value read = where ? select(where, number(bytes), number(0)) : Value();
  auto cache = bytes == widestAccess ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(*this, to, from, bytes, cache, read);
}

void CudaBuilder::commitCopies() { NVVM::CpAsyncCommitGroupOp::create(*this); }

void CudaBuilder::awaitCopies(int64_t commits) { NVVM::CpAsyncWaitGroupOp::create(*this, commits); }

void CudaBuilder::storeAligned(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(*this, value, pointer, alignment);
}
