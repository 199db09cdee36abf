//===- KnownOps.cpp - the table of operations that the emulator knows -----------===//
#include "codegen/cuda/Grid.h"
#include "codegen/emulator/Emulation.h"
#include "ir/kern/Attributes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

#include <cstddef>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

using Rewrite = std::function<LogicalResult(Operation *, Emulation &)>;

static void replace(Operation *op, Value value) {
  op->replaceAllUsesWith(ValueRange{value});
  op->erase();
}

/// An upper bound that the operation states must be true: the hardware would not check it.
static LogicalResult checkRange(Operation *op, int64_t end) {
  auto range = op->getAttrOfType<LLVM::ConstantRangeAttr>("range");
  if (!range || (range.getLower().isZero() && range.getUpper().uge(end)))
    return success();
  return op->emitOpError("range must hold all values from 0 to ") << end - 1;
}

static LogicalResult checkOwnRange(Operation *op, int axis) {
  Operation *kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  if (auto block = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr); block && axis < 0)
    return checkRange(op, block.getInt());
  if (auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr); grid && axis >= 0)
    return checkRange(op, grid[axis]);
  return success();
}

/// A register that the runtime keeps for each thread. `axis`: of the grid; -1 for threads.
static Rewrite readsField(size_t offset, int axis) {
  return [=](Operation *op, Emulation &emulation) {
    auto b = emulation.at(op);
    if (failed(checkOwnRange(op, axis)))
      return failure();
    replace(op, emulation.field(b, op->getResult(0).getType(), offset));
    return success();
  };
}

static Rewrite isConstant(int64_t value) {
  return [=](Operation *op, Emulation &emulation) {
    auto b = emulation.at(op);
    replace(op, LLVM::ConstantOp::create(b, op->getResult(0).getType(), value));
    return success();
  };
}

/// A size that the kernel states, entry `axis` of its grid or (-1) its threads.
static Rewrite isSize(int axis) {
  return [=](Operation *op, Emulation &emulation) -> LogicalResult {
    if (!emulation.isKernel())
      return op->emitOpError("must stand in a kernel to be emulated");
    Operation *kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
    int64_t size = axis < 0 ? kernel->getAttrOfType<IntegerAttr>(kern::blockAttr).getInt()
                            : kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr)[axis];
    return isConstant(size)(op, emulation);
  };
}

//===- Of clusters, whose blocks are side by side in x ------------------------===//

/// Number of the block in its cluster.
static LogicalResult rewriteRank(Operation *op, Emulation &emulation) {
  if (failed(checkRange(op, clusterBlocksOf(op->getParentOfType<LLVM::LLVMFuncOp>()))))
    return failure();
  auto b = emulation.at(op);
  replace(op, emulation.field(b, op->getResult(0).getType(), offsetof(stretto_emulated_thread, rank)));
  return success();
}

/// Blocks of a cluster; or clusters of the grid in x.
template <bool ofGrid> static LogicalResult rewriteClusterSize(Operation *op, Emulation &emulation) {
  if (!emulation.isKernel())
    return op->emitOpError("must stand in a kernel to be emulated");
  Operation *kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  int64_t blocks = clusterBlocksOf(kernel);
  return isConstant(ofGrid ? kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr)[0] / blocks : blocks)(op,
                                                                                                            emulation);
}

static LogicalResult rewriteClusterId(Operation *op, Emulation &emulation) {
  if (!emulation.isKernel())
    return op->emitOpError("must stand in a kernel to be emulated");
  auto b = emulation.at(op);
  Type type = op->getResult(0).getType();
  Value block = emulation.field(b, type, offsetof(stretto_emulated_thread, block_x));
  int64_t blocks = clusterBlocksOf(op->getParentOfType<LLVM::LLVMFuncOp>());
  replace(op, LLVM::UDivOp::create(b, block, LLVM::ConstantOp::create(b, type, blocks)));
  return success();
}

//===----------------------------------------------------------------------===//

static LogicalResult rewriteLane(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  Type type = op->getResult(0).getType();
  Value thread = emulation.field(b, type, offsetof(stretto_emulated_thread, thread));
  replace(op, LLVM::AndOp::create(b, thread, LLVM::ConstantOp::create(b, type, 31)));
  return success();
}

static LogicalResult keep(Operation *, Emulation &) { return success(); }

/// Everything with an effect; what has none and is of the llvm dialect is kept as it is.
static const llvm::StringMap<Rewrite> &knownOps() {
  constexpr size_t tid = offsetof(stretto_emulated_thread, thread), blockX = offsetof(stretto_emulated_thread, block_x),
                   blockY = offsetof(stretto_emulated_thread, block_y);
  static const llvm::StringMap<Rewrite> table = {
      // Special registers.
      {"nvvm.read.ptx.sreg.tid.x", readsField(tid, -1)},
      {"nvvm.read.ptx.sreg.tid.y", isConstant(0)},
      {"nvvm.read.ptx.sreg.tid.z", isConstant(0)},
      {"nvvm.read.ptx.sreg.ctaid.x", readsField(blockX, 0)},
      {"nvvm.read.ptx.sreg.ctaid.y", readsField(blockY, 1)},
      {"nvvm.read.ptx.sreg.ctaid.z", isConstant(0)},
      {"nvvm.read.ptx.sreg.ntid.x", isSize(-1)},
      {"nvvm.read.ptx.sreg.nctaid.x", isSize(0)},
      {"nvvm.read.ptx.sreg.nctaid.y", isSize(1)},
      {"nvvm.read.ptx.sreg.cluster.ctarank", rewriteRank},
      {"nvvm.read.ptx.sreg.cluster.nctarank", rewriteClusterSize<false>},
      {"nvvm.read.ptx.sreg.cluster.ctaid.x", rewriteRank},
      {"nvvm.read.ptx.sreg.cluster.ctaid.y", isConstant(0)},
      {"nvvm.read.ptx.sreg.cluster.ctaid.z", isConstant(0)},
      {"nvvm.read.ptx.sreg.cluster.nctaid.x", rewriteClusterSize<false>},
      {"nvvm.read.ptx.sreg.cluster.nctaid.y", isConstant(1)},
      {"nvvm.read.ptx.sreg.cluster.nctaid.z", isConstant(1)},
      {"nvvm.read.ptx.sreg.clusterid.x", rewriteClusterId},
      {"nvvm.read.ptx.sreg.clusterid.y", readsField(blockY, 1)},
      {"nvvm.read.ptx.sreg.clusterid.z", isConstant(0)},
      {"nvvm.read.ptx.sreg.nclusterid.x", rewriteClusterSize<true>},
      {"nvvm.read.ptx.sreg.nclusterid.y", isSize(1)},
      {"nvvm.read.ptx.sreg.nclusterid.z", isConstant(1)},
      {"nvvm.read.ptx.sreg.laneid", rewriteLane},
      {"nvvm.read.ptx.sreg.warpsize", isConstant(32)},
      // Threads that wait for each other.
      {"nvvm.barrier0", rewriteBarrier},
      {"nvvm.barrier", rewriteBarrier},
      {"nvvm.barrier.arrive", rewriteArriveAtBarrier},
      {"nvvm.setmaxregister", rewriteSetMaxRegister},
      {"nvvm.bar.warp.sync", rewriteSyncWarp},
      {"nvvm.shfl.sync", rewriteShuffle},
      {"nvvm.vote.sync", rewriteVote},
      {"nvvm.redux.sync", rewriteRedux},
      {"nvvm.elect.sync", rewriteElect},
      // Blocks of a cluster.
      {"nvvm.cluster.arrive", rewriteArriveAtCluster},
      {"nvvm.cluster.arrive.relaxed", rewriteArriveAtCluster},
      {"nvvm.cluster.wait", rewriteAwaitCluster},
      {"nvvm.mapa", rewriteMapShared},
      // Barriers in shared memory.
      {"nvvm.mbarrier.init", rewriteInitMbarrier},
      {"nvvm.mbarrier.inval", rewriteInvalidateMbarrier},
      {"nvvm.mbarrier.arrive", rewriteArriveAtMbarrier},
      {"nvvm.mbarrier.expect_tx", rewriteExpectBytes},
      {"nvvm.mbarrier.arrive.expect_tx", rewriteArriveExpectBytes},
      {"nvvm.mbarrier.complete_tx", rewriteCompleteBytes},
      {"nvvm.mbarrier.try_wait.parity", rewriteAwaitMbarrier},
      {"nvvm.mbarrier.try_wait", rewriteTestMbarrier},
      {"nvvm.mbarrier.test.wait", rewriteTestMbarrier},
      // Matrices of a warp.
      {"nvvm.ldmatrix", rewriteLoadMatrices},
      {"nvvm.stmatrix", rewriteStoreMatrices},
      {"nvvm.mma.sync", rewriteMultiply},
      {"nvvm.convert.float.to.tf32", rewriteRoundToTF32},
      // Matmuls of warpgroups.
      {"nvvm.wgmma.fence.aligned", rewriteFenceMatmuls},
      {"nvvm.wgmma.mma_async", rewriteAsyncMatmul},
      {"nvvm.wgmma.commit.group.sync.aligned", rewriteCommitMatmuls},
      {"nvvm.wgmma.wait.group.sync.aligned", rewriteAwaitMatmuls},
      {"nvvm.fence.proxy", rewriteFenceProxy},
      // Bulk tensor copies.
      {"nvvm.cp.async.bulk.tensor.shared.cluster.global", rewriteBoxCopy},
      {"nvvm.cp.async.bulk.tensor.global.shared.cta", rewriteBoxStore},
      {"nvvm.cp.async.bulk.commit.group", rewriteCommitStores},
      {"nvvm.cp.async.bulk.wait_group", rewriteAwaitStores},
      {"nvvm.fence.mbarrier.init", rewriteFenceMbarriers},
      // Asynchronous copies.
      {"nvvm.cp.async.shared.global", rewriteAsyncCopy},
      {"nvvm.cp.async.commit.group", rewriteCommitCopies},
      {"nvvm.cp.async.wait.group", rewriteAwaitCopies},
      // Memory.
      {"llvm.load", rewriteLoad},
      {"llvm.store", rewriteStore},
      {"llvm.mlir.addressof", rewriteAddressOf},
      {"llvm.addrspacecast", rewriteSpaceCast},
      {"llvm.ptrtoint", rewritePointerToNumber},
      {"llvm.alloca", keep},
      {"llvm.intr.lifetime.start", keep},
      {"llvm.intr.lifetime.end", keep},
      // Functions.
      {"llvm.call", rewriteCall},
      {"llvm.call_intrinsic", rewriteCallIntrinsic},
      {"nvvm.rcp.approx.ftz.f", rewriteReciprocal},
      {"llvm.intr.assume", keep},
      // Control flow.
      {"llvm.br", keep},
      {"llvm.cond_br", keep},
      {"llvm.switch", keep},
      {"llvm.return", keep},
  };
  return table;
}

/// Operations that move bf16 and do not look at it.
static bool movesBF16(Operation *op) {
  static const llvm::StringSet<> names = {"llvm.mlir.undef",
                                          "llvm.mlir.poison",
                                          "llvm.mlir.zero",
                                          "llvm.bitcast",
                                          "llvm.select",
                                          "llvm.insertelement",
                                          "llvm.extractelement",
                                          "llvm.shufflevector",
                                          "llvm.insertvalue",
                                          "llvm.extractvalue",
                                          "llvm.freeze",
                                          "llvm.br",
                                          "llvm.cond_br",
                                          "llvm.switch",
                                          "llvm.return",
                                          "llvm.load",
                                          "llvm.store",
                                          "llvm.intr.vector.insert",
                                          "llvm.intr.vector.extract"};
  return names.contains(op->getName().getStringRef());
}

LogicalResult stretto::codegen::rewriteKnownOp(Operation *op, Emulation &emulation) {
  StringRef name = op->getName().getStringRef();
  if (usesBF16(op) && !movesBF16(op))
    return rewriteBF16(op, emulation);
  if (auto known = knownOps().find(name); known != knownOps().end())
    return known->second(op, emulation);
  if (op->getDialect() == op->getContext()->getLoadedDialect<LLVM::LLVMDialect>() && isMemoryEffectFree(op))
    return success();
  return op->emitOpError("is not known to the emulator");
}
