//===- ProxyFences.cpp - fences between stores of threads and what runs beside the threads -----===//
//
// Matmuls of warpgroups and bulk tensor copies go through the asynchronous proxy: they see what threads have stored to
// shared memory only behind a `fence.proxy.async`. A forward data flow over the kernel's blocks finds the stores that
// no fence has covered yet. Threads tell each other by barriers that their stores are done, so what flows to an arrival
// at a barrier flows on from every wait at it.
//
//===----------------------------------------------------------------------===//
#include "codegen/cuda/async/AsyncChecks.h"
#include "codegen/cuda/async/BlockStates.h"
#include "codegen/cuda/async/SharedRanges.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/KernOps.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
using Stores = llvm::SetVector<Operation *>;

/// At one point of the kernel, on any way to it.
struct State {
  Stores unfenced;
  Stores copies; // `cp.async` that have not landed: they store when somebody waits for them

  bool join(const State &other) {
    size_t before = unfenced.size() + copies.size();
    unfenced.insert_range(other.unfenced);
    copies.insert_range(other.copies);
    return unfenced.size() + copies.size() > before;
  }

  /// A wait for all commits of copies but the last `left`: any of them may be among those that it is for.
  void land(uint32_t left) {
    unfenced.insert_range(copies);
    if (left == 0)
      copies.clear();
  }
};

/// An operation at a barrier of some threads: an mbarrier, or one that has a number.
struct AtBarrier {
  bool arrives, waits;
  Value mbarrier, number; // one of them; no number: 0
};

class ProxyFences {
public:
  explicit ProxyFences(LLVM::LLVMFuncOp function) : function(function), ranges(function) {}
  LogicalResult check();

private:
  bool usesProxy();
  void linkBarriers();
  bool mayMeet(const AtBarrier &arrival, const AtBarrier &wait) const;
  bool passAll();
  bool pass(Operation *op, State &state);
  LogicalResult checkOp(Operation *op, const State &state) const;

  LLVM::LLVMFuncOp function;
  SharedRanges ranges;
  BlockStates<State> begin;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> arrivalsOf; // those that a wait may be for
  llvm::DenseMap<Operation *, Stores> arrived;                      // what flows to an arrival
};
} // namespace

/// An address in shared memory, or a number made from one, and how many bytes are accessed there.
using Access = std::pair<Value, int64_t>;

/// Of the boxes of a tensor map that the function takes behind its other parameters; 1 where it does not say.
static int64_t boxBytes(Value map) {
  auto argument = dyn_cast<BlockArgument>(map);
  Operation *function = argument ? argument.getOwner()->getParentOp() : nullptr;
  auto maps = function ? function->getAttrOfType<ArrayAttr>(kern::tensorMapsAttr) : ArrayAttr();
  int64_t number = maps ? argument.getArgNumber() + maps.size() - argument.getOwner()->getNumArguments() : -1;
  auto attribute = number >= 0 ? dyn_cast<kern::TensorMapAttr>(maps[number]) : kern::TensorMapAttr();
  if (!attribute)
    return 1;
  return llvm::product_of(attribute.getBox()) * elementBytes(attribute.getElement());
}

/// What the asynchronous proxy accesses. The descriptors of a matmul are numbers, which do not say how far it reads.
static SmallVector<Access, 2> proxyAccesses(Operation *op) {
  if (auto matmul = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op))
    return {{matmul.getDescriptorA(), 1}, {matmul.getDescriptorB(), 1}};
  if (auto store = dyn_cast<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(op))
    return {{store.getSrcMem(), boxBytes(store.getTmaDescriptor())}};
  if (auto copy = dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op))
    return {{copy.getDstMem(), boxBytes(copy.getTmaDescriptor())}};
  return {};
}

/// What an operation of a thread stores to shared memory; null: nothing.
static Access storedTo(Operation *op) {
  constexpr int64_t matrixRow = 16;
  if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isSharedPointer(store.getAddr()))
    return {store.getAddr(), static_cast<int64_t>(DataLayout::closest(op).getTypeSize(store.getValue().getType()))};
  if (auto store = dyn_cast<NVVM::StMatrixOp>(op))
    return {store.getPtr(), matrixRow};
  if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
    return {copy.getDst(), copy.getSize()};
  return {Value(), 0};
}

static bool isProxyFence(Operation *op) {
  auto fence = dyn_cast<NVVM::FenceProxyOp>(op);
  return fence && (fence.getKind() == NVVM::ProxyKind::async || fence.getKind() == NVVM::ProxyKind::async_shared);
}

/// Barriers of the whole block need no mention: all threads go through the same one.
static std::optional<AtBarrier> asAtBarrier(Operation *op) {
  if (isa<NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp>(op))
    return AtBarrier{true, false, op->getOperand(0), Value()};
  if (isa<NVVM::MBarrierTryWaitParityOp, NVVM::MBarrierTryWaitOp, NVVM::MBarrierTestWaitOp>(op))
    return AtBarrier{false, true, op->getOperand(0), Value()};
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op); barrier && barrier.getNumberOfThreads())
    return AtBarrier{true, true, Value(), barrier.getBarrierId()};
  if (auto arrive = dyn_cast<NVVM::BarrierArriveOp>(op))
    return AtBarrier{true, false, Value(), arrive.getBarrierId()};
  return std::nullopt;
}

bool ProxyFences::mayMeet(const AtBarrier &arrival, const AtBarrier &wait) const {
  constexpr int64_t mbarrierBytes = 8;
  if (arrival.mbarrier && wait.mbarrier)
    return anyMeet(ranges.of(arrival.mbarrier, mbarrierBytes), ranges.of(wait.mbarrier, mbarrierBytes));
  if (arrival.mbarrier || wait.mbarrier)
    return false;
  APInt left(32, 0), right(32, 0);
  bool isLeftKnown = !arrival.number || matchPattern(arrival.number, m_ConstantInt(&left));
  bool isRightKnown = !wait.number || matchPattern(wait.number, m_ConstantInt(&right));
  return !isLeftKnown || !isRightKnown || left == right;
}

void ProxyFences::linkBarriers() {
  SmallVector<std::pair<Operation *, AtBarrier>> all;
  function.walk([&](Operation *op) {
    if (auto barrier = asAtBarrier(op))
      all.push_back({op, *barrier});
  });
  for (auto &[arrival, ofArrival] : all)
    for (auto &[wait, ofWait] : all)
      if (arrival != wait && ofArrival.arrives && ofWait.waits && mayMeet(ofArrival, ofWait))
        arrivalsOf[wait].push_back(arrival);
}

/// Whether something new came to an arrival.
bool ProxyFences::pass(Operation *op, State &state) {
  bool isNew = false;
  if (auto barrier = asAtBarrier(op); barrier && barrier->arrives) {
    Stores &known = arrived[op];
    size_t before = known.size();
    known.insert_range(state.unfenced);
    isNew = known.size() > before;
  }
  for (Operation *arrival : arrivalsOf.lookup(op))
    state.unfenced.insert_range(arrived[arrival]);
  if (isProxyFence(op))
    state.unfenced.clear();
  else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op))
    state.land(wait.getN());
  else if (isa<NVVM::CpAsyncOp>(op))
    state.copies.insert(op);
  else if (storedTo(op).first)
    state.unfenced.insert(op);
  return isNew;
}

/// Whether anything new was found.
bool ProxyFences::passAll() {
  bool isNew = false;
  for (Block &block : function.getBody()) {
    auto known = begin.find(&block);
    if (known == begin.end())
      continue;
    State state = known->second;
    for (Operation &op : block)
      isNew |= pass(&op, state);
    for (Block *next : block.getSuccessors()) {
      auto [entry, isFirst] = begin.insert({next, State()});
      isNew |= entry->second.join(state) || isFirst;
    }
  }
  return isNew;
}

LogicalResult ProxyFences::checkOp(Operation *op, const State &state) const {
  for (auto [address, bytes] : proxyAccesses(op)) {
    SharedRangeList accessed = ranges.of(address, bytes);
    for (Operation *store : state.unfenced) {
      auto [to, storedBytes] = storedTo(store);
      if (!anyMeet(accessed, ranges.of(to, storedBytes)))
        continue;
      InFlightDiagnostic error =
          op->emitOpError("must have nvvm.fence.proxy of async or async.shared on every way to it "
                          "from stores to the shared memory that it accesses");
      error.attachNote(store->getLoc()) << "such a store";
      return error;
    }
  }
  return success();
}

bool ProxyFences::usesProxy() {
  return function.walk([](Operation *op) { return WalkResult(failure(!proxyAccesses(op).empty())); }).wasInterrupted();
}

LogicalResult ProxyFences::check() {
  if (!usesProxy())
    return success();
  linkBarriers();
  begin.insert({&function.front(), State()});
  while (passAll())
    continue;
  return checkEach<State>(
      begin, [&](Operation *op, const State &state) { return checkOp(op, state); },
      [&](Operation *op, State &state) { pass(op, state); });
}

LogicalResult stretto::codegen::checkProxyFences(LLVM::LLVMFuncOp function) { return ProxyFences(function).check(); }
