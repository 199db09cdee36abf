//===- CudaFaults.cpp - ways to break a generated CUDA kernel -------------------===//
#include "CudaFaults.h"

#include "codegen/cuda/Renewals.h"
#include "ir/kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

static constexpr unsigned globalSpace = 1, sharedSpace = 3;

template <typename Op> static Op find(LLVM::LLVMFuncOp kernel, int64_t number, llvm::function_ref<bool(Op)> fits) {
  Op found = nullptr;
  kernel.walk([&](Op op) {
    if (fits(op) && number-- == 0)
      found = op;
  });
  return found;
}

static Value constant(Operation *before, Type type, int64_t value) {
  OpBuilder b(before);
  return LLVM::ConstantOp::create(b, before->getLoc(), type, b.getIntegerAttr(type, value));
}

//===- Names --------------------------------------------------------------------===//

/// The shared variable or the buffer that an address lies in.
static std::string objectOf(LLVM::LLVMFuncOp kernel, Value address) {
  while (auto next = address.getDefiningOp<LLVM::GEPOp>())
    address = next.getBase();
  if (auto shared = address.getDefiningOp<LLVM::AddressOfOp>())
    return shared.getGlobalName().drop_front(kernel.getName().size() + 1).str();
  auto buffer = dyn_cast<BlockArgument>(address);
  bool isBuffer = buffer && buffer.getOwner() == &kernel.getBody().front();
  return isBuffer ? "buffer " + std::to_string(buffer.getArgNumber()) : "a chosen buffer";
}

static std::string nameOf(LLVM::LLVMFuncOp kernel, LLVM::StoreOp store, int64_t number) {
  return llvm::formatv("store {0} to {1}", number, objectOf(kernel, store.getAddr()));
}
static std::string nameOf(LLVM::LLVMFuncOp kernel, LLVM::LoadOp load, int64_t number) {
  return llvm::formatv("load {0} of {1}", number, objectOf(kernel, load.getAddr()));
}

//===- Faults -------------------------------------------------------------------===//

template <typename Op> static std::string remove(LLVM::LLVMFuncOp kernel, int64_t number, StringRef name) {
  auto found = find<Op>(kernel, number, [](Op) { return true; });
  if (!found)
    return "";
  found->erase();
  return llvm::formatv("{0} {1}", name, number);
}
std::string stretto::test::removeBarrier(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::Barrier0Op>(kernel, number, "barrier");
}
std::string stretto::test::removeNumberedBarrier(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::BarrierOp>(kernel, number, "barrier");
}
std::string stretto::test::removeWait(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::CpAsyncWaitGroupOp>(kernel, number, "wait");
}

std::string stretto::test::removeGiving(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto gives = find<NVVM::SetMaxRegisterOp>(
      kernel, number, [](NVVM::SetMaxRegisterOp op) { return op.getAction() == NVVM::SetMaxRegisterAction::decrease; });
  if (!gives)
    return "";
  gives->erase();
  return llvm::formatv("exchange {0}", number);
}

std::string stretto::test::removePhaseWait(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::MBarrierTryWaitParityOp>(kernel, number, "wait");
}
std::string stretto::test::removeArrival(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::MBarrierArriveOp>(kernel, number, "arrival");
}
std::string stretto::test::removeWarpBarrier(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::SyncWarpOp>(kernel, number, "barrier");
}
std::string stretto::test::removeInitFence(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::FenceMbarrierInitOp>(kernel, number, "fence");
}
std::string stretto::test::removeMatmulWait(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::WgmmaWaitGroupSyncOp>(kernel, number, "wait");
}
std::string stretto::test::removeMatmulFence(LLVM::LLVMFuncOp kernel, int64_t number) {
  return remove<NVVM::WgmmaFenceAlignedOp>(kernel, number, "fence");
}

std::string stretto::test::halveExpectedBytes(LLVM::LLVMFuncOp kernel, int64_t number) {
  using Expect = NVVM::MBarrierArriveExpectTxOp;
  auto expect = find<Expect>(kernel, number, [](Expect) { return true; });
  APInt bytes;
  if (!expect || !matchPattern(expect.getTxcount(), m_ConstantInt(&bytes)))
    return "";
  expect.getTxcountMutable().assign(constant(expect, expect.getTxcount().getType(), bytes.getSExtValue() / 2));
  return llvm::formatv("arrival {0}", number);
}

std::string stretto::test::meetAlone(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto wait = find<NVVM::ClusterWaitOp>(kernel, number, [](NVVM::ClusterWaitOp) { return true; });
  if (!wait)
    return "";
  wait->getPrevNode()->erase(); // the arrival
  OpBuilder b(wait);
  NVVM::Barrier0Op::create(b, wait.getLoc());
  wait->erase();
  return llvm::formatv("barrier of the cluster {0}", number);
}

std::string stretto::test::copyAlone(LLVM::LLVMFuncOp kernel, int64_t number) {
  using Copy = NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp;
  auto copy = find<Copy>(kernel, number, [](Copy op) { return op.getMulticastMask() != nullptr; });
  if (!copy)
    return "";
  copy.getMulticastMaskMutable().clear();
  return llvm::formatv("copy {0}", number);
}

std::string stretto::test::awaitOwnReaders(LLVM::LLVMFuncOp kernel, int64_t number) {
  SmallVector<NVVM::MapaOp> maps;
  kernel.walk([&](NVVM::MapaOp map) { maps.push_back(map); });
  if (number > 0 || maps.empty())
    return "";
  for (NVVM::MapaOp map : maps) {
    OpBuilder b(map);
    map.getBMutable().assign(
        NVVM::BlockInClusterIdXOp::create(b, map.getLoc(), b.getI32Type(), LLVM::ConstantRangeAttr()));
  }
  return "all arrivals";
}

std::string stretto::test::removeSwizzle(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto list = kernel->getAttrOfType<ArrayAttr>("kern.tensor_maps");
  if (!list || number >= static_cast<int64_t>(list.size()))
    return "";
  SmallVector<Attribute> maps(list.getValue());
  auto map = cast<kern::TensorMapAttr>(maps[number]);
  maps[number] = kern::TensorMapAttr::get(map.getContext(), map.getBuffer(), map.getElement(), map.getSizes(),
                                          map.getStrides(), map.getBox(), /*swizzle=*/0);
  kernel->setAttr("kern.tensor_maps", ArrayAttr::get(map.getContext(), maps));
  return llvm::formatv("map {0}", number);
}

/// Of the shuffles whose operand is another; those that renew the number of the thread are for compilers alone.
static std::string changeShuffle(LLVM::LLVMFuncOp kernel, int64_t number, unsigned operand, int64_t value) {
  auto isOther = [&](NVVM::ShflOp shuffle) {
    APInt now;
    bool isValue = matchPattern(shuffle->getOperand(operand), m_ConstantInt(&now)) && now.getSExtValue() == value;
    return !isValue && !shuffle->hasAttr(codegen::renewalAttr);
  };
  auto shuffle = find<NVVM::ShflOp>(kernel, number, isOther);
  if (!shuffle)
    return "";
  shuffle->setOperand(operand, constant(shuffle, shuffle->getOperand(operand).getType(), value));
  return llvm::formatv("shuffle {0}", number);
}
std::string stretto::test::halveMask(LLVM::LLVMFuncOp kernel, int64_t number) {
  return changeShuffle(kernel, number, 0, 0xffff);
}
std::string stretto::test::shuffleNowhere(LLVM::LLVMFuncOp kernel, int64_t number) {
  return changeShuffle(kernel, number, 2, 0);
}

template <typename Op> static bool isIn(Op access, unsigned space) {
  return cast<LLVM::LLVMPointerType>(access.getAddr().getType()).getAddressSpace() == space;
}

/// The branch that decides whether the block of a store runs, where that is all it decides.
static LLVM::CondBrOp guardOf(LLVM::StoreOp store) {
  Block *block = store->getBlock(), *before = block->getSinglePredecessor();
  auto branch = before ? dyn_cast<LLVM::CondBrOp>(before->getTerminator()) : LLVM::CondBrOp();
  if (!branch || block->getNumSuccessors() != 1)
    return {};
  Block *behind = branch.getTrueDest() == block ? branch.getFalseDest() : branch.getTrueDest();
  return block->getSuccessor(0) == behind ? branch : LLVM::CondBrOp();
}

static std::string force(LLVM::LLVMFuncOp kernel, int64_t number, bool runs) {
  auto store =
      find<LLVM::StoreOp>(kernel, number, [](LLVM::StoreOp op) { return isIn(op, globalSpace) && guardOf(op); });
  if (!store)
    return "";
  LLVM::CondBrOp guard = guardOf(store);
  bool onTrue = guard.getTrueDest() == store->getBlock();
  guard.getConditionMutable().assign(constant(guard, guard.getCondition().getType(), runs == onTrue));
  return nameOf(kernel, store, number);
}
std::string stretto::test::neverStore(LLVM::LLVMFuncOp kernel, int64_t number) { return force(kernel, number, false); }
std::string stretto::test::alwaysStore(LLVM::LLVMFuncOp kernel, int64_t number) { return force(kernel, number, true); }

/// What the counter of a loop grows by in each turn, where `compare` is the loop's condition; 0: it is none, or that
/// varies.
static int64_t stepOf(LLVM::ICmpOp compare) {
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  if (!counter || counter.getOwner() != compare->getBlock() || compare.getPredicate() != LLVM::ICmpPredicate::slt)
    return 0;
  for (Block *before : compare->getBlock()->getPredecessors()) {
    auto branch = dyn_cast<LLVM::BrOp>(before->getTerminator());
    auto next = branch ? branch.getDestOperands()[counter.getArgNumber()].getDefiningOp<LLVM::AddOp>() : LLVM::AddOp();
    auto step = next ? next.getRhs().getDefiningOp<LLVM::ConstantOp>() : LLVM::ConstantOp();
    if (step && next.getLhs() == counter)
      return cast<IntegerAttr>(step.getValue()).getInt();
  }
  return 0;
}

std::string stretto::test::skipTail(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto end = find<LLVM::ICmpOp>(kernel, number, [](LLVM::ICmpOp compare) { return stepOf(compare) != 0; });
  if (!end)
    return "";
  OpBuilder b(end);
  Value step = constant(end, end.getRhs().getType(), stepOf(end));
  end.getRhsMutable().assign(LLVM::SubOp::create(b, end.getLoc(), end.getRhs(), step));
  return llvm::formatv("loop {0}", number);
}

template <typename Op> static std::string shiftAddress(LLVM::LLVMFuncOp kernel, int64_t number, unsigned space) {
  auto access = find<Op>(kernel, number, [&](Op op) { return isIn(op, space); });
  if (!access)
    return "";
  std::string name = nameOf(kernel, access, number);
  OpBuilder b(access);
  Value next = LLVM::GEPOp::create(b, access.getLoc(), access.getAddr().getType(), b.getF32Type(), access.getAddr(),
                                   ArrayRef<LLVM::GEPArg>{1});
  access.getAddrMutable().assign(next);
  access.setAlignment(4);
  return name;
}
std::string stretto::test::shiftSharedStore(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::StoreOp>(kernel, number, sharedSpace);
}
std::string stretto::test::shiftSharedLoad(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::LoadOp>(kernel, number, sharedSpace);
}
std::string stretto::test::shiftGlobalLoad(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::LoadOp>(kernel, number, globalSpace);
}

Fault stretto::test::change(int64_t from, int64_t to) {
  return [=](LLVM::LLVMFuncOp kernel, int64_t number) -> std::string {
    auto isIt = [&](LLVM::AddOp add) {
      auto value = add.getRhs().getDefiningOp<LLVM::ConstantOp>();
      auto known = value ? dyn_cast<IntegerAttr>(value.getValue()) : IntegerAttr();
      return known && known.getInt() == from;
    };
    auto add = find<LLVM::AddOp>(kernel, number, isIt);
    if (!add)
      return "";
    add->setOperand(1, constant(add, add.getType(), to));
    return llvm::formatv("addition {0}", number);
  };
}
