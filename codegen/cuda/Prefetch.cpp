//===- Prefetch.cpp - loads some rounds of a loop before they are needed -------===//
#include "codegen/cuda/Prefetch.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t wantedRegisters = 16; // for what is on its way
constexpr int64_t mostRounds = 4;

namespace {
/// The loads that can be ahead, and what computes their addresses.
struct Ahead {
  SmallVector<LLVM::LoadOp> loads;
  SetVector<Operation *> addresses; // operands first
};
} // namespace

/// Whether a value follows from the counter of a loop and what is known before the loop; adds what computes it.
static bool collect(Value value, scf::ForOp loop, SetVector<Operation *> &operations) {
  if (value.getParentBlock() != loop.getBody())
    return !loop.getRegion().isAncestor(value.getParentRegion());
  Operation *op = value.getDefiningOp();
  if (!op)
    return value == loop.getInductionVar();
  if (operations.contains(op))
    return true;
  if (op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, loop, operations); }))
    return false;
  operations.insert(op);
  return true;
}

/// The buffer of the kernel that an address lies in, or null.
static BlockArgument bufferOf(Value address) {
  while (auto inside = address.getDefiningOp<LLVM::GEPOp>())
    address = inside.getBase();
  auto buffer = dyn_cast<BlockArgument>(address);
  return buffer && isa<LLVM::LLVMFuncOp>(buffer.getOwner()->getParentOp()) ? buffer : BlockArgument();
}

/// Whether an address lies in a buffer that the kernel only reads.
static bool isOnlyRead(Value address) {
  BlockArgument buffer = bufferOf(address);
  return buffer && cast<LLVM::LLVMFuncOp>(buffer.getOwner()->getParentOp())
                       .getArgAttr(buffer.getArgNumber(), LLVM::LLVMDialect::getReadonlyAttrName());
}

/// The buffers that a loop stores to, as what they are stored through: an operand that a result lies over is another.
static llvm::SmallDenseSet<Value> storedBuffers(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> buffers;
  loop.walk([&](LLVM::StoreOp store) {
    if (BlockArgument buffer = bufferOf(store.getAddr()))
      buffers.insert(buffer);
  });
  return buffers;
}

/// Those whose address `mayBeEarly` lets through.
static Ahead findLoads(scf::ForOp loop, function_ref<bool(Value)> mayBeEarly) {
  Ahead ahead;
  for (auto load : loop.getBody()->getOps<LLVM::LoadOp>()) {
    SetVector<Operation *> addresses = ahead.addresses;
    if (!mayBeEarly(load.getAddr()) || !collect(load.getAddr(), loop, addresses))
      continue;
    ahead.addresses = std::move(addresses);
    ahead.loads.push_back(load);
  }
  return ahead;
}

/// Bytes of the vector that a load brings.
static int64_t bytesOf(LLVM::LoadOp load) {
  auto vector = dyn_cast<VectorType>(load.getType());
  return elementBytes(load.getType()) * (vector ? vector.getNumElements() : 1);
}

static int64_t registersOf(LLVM::LoadOp load) { return llvm::divideCeil(bytesOf(load), 4); }

static int64_t registersOf(const Ahead &ahead) {
  int64_t count = 0;
  for (LLVM::LoadOp load : ahead.loads)
    count += registersOf(load);
  return count;
}

scf::ForOp stretto::codegen::prefetchLoads(CudaBuilder &b, scf::ForOp loop, int64_t rounds) {
  Ahead ahead = findLoads(loop, isOnlyRead);
  int64_t registers = registersOf(ahead);
  if (ahead.loads.empty() || rounds < 2 || registers > mostRegistersAhead)
    return loop;
  int64_t distance = std::min({std::max<int64_t>(1, wantedRegisters / registers), mostRounds, rounds - 1});
  auto loadFor = [&](Value round, SmallVector<Value> &values) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), round);
    for (Operation *op : ahead.addresses)
      b.clone(*op, mapping);
    for (LLVM::LoadOp load : ahead.loads)
      values.push_back(b.clone(*load, mapping)->getResult(0));
  };
  b.setInsertionPoint(loop);
  Value last = b.add(loop.getUpperBound(), b.index(-1));
  SmallVector<Value> first; // of rounds 0, 1, ...
  for (int64_t round = 0; round < distance; ++round)
    loadFor(b.minimum(b.index(round), last), first);
  IRRewriter rewriter(b.getContext());
  rewriter.setInsertionPoint(loop);
  auto result = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> here) {
        SmallVector<Value> next(here.drop_front(ahead.loads.size()));
        b.setInsertionPointToStart(loop.getBody());
        loadFor(b.minimum(b.add(loop.getInductionVar(), b.index(distance)), last), next);
        for (auto [load, value] : llvm::zip(ahead.loads, here)) {
          load.getResult().replaceAllUsesWith(value);
          load.erase();
        }
        return next;
      });
  auto changed = cast<scf::ForOp>(result->getOperation());
  b.setInsertionPointAfter(changed);
  return changed;
}

static bool isBarrier(Operation &op) { return isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::SyncWarpOp>(op); }

/// Moves a load, and what computes its address, in front of `place`, unless the address follows from something else
/// than the counter of the loop.
static void moveLoad(LLVM::LoadOp load, scf::ForOp loop, Operation *place) {
  SetVector<Operation *> addresses;
  if (!collect(load.getAddr(), loop, addresses))
    return;
  for (Operation *op : addresses)
    if (place->isBeforeInBlock(op))
      op->moveBefore(place);
  load->moveBefore(place);
}

void stretto::codegen::loadBeforeBarriers(scf::ForOp loop) {
  Block &body = *loop.getBody();
  auto barrier = llvm::find_if(body, isBarrier);
  if (barrier == body.end())
    return;
  Operation *place = &body.front();
  SmallVector<LLVM::LoadOp> behind;
  llvm::SmallDenseSet<Value> stored = storedBuffers(loop);
  for (auto load : body.getOps<LLVM::LoadOp>())
    if (BlockArgument buffer = bufferOf(load.getAddr())) {
      if (load->isBeforeInBlock(&*barrier))
        place = load->getNextNode();
      else if (!stored.contains(buffer))
        behind.push_back(load);
    }
  int64_t registers = 0;
  for (LLVM::LoadOp load : behind) {
    registers += registersOf(load);
    if (registers <= wantedRegisters)
      moveLoad(load, loop, place);
  }
}

//===- Through shared memory ----------------------------------------------------===//

namespace {
/// A ring of places, a round after the other: `places` of them, of each load one for each thread that brings something.
class Ring {
public:
  Ring(CudaBuilder &b, const Ahead &ahead, const SharedRoom &room, int64_t places)
      : b(b), ahead(ahead), room(room), places(places) {
    for (LLVM::LoadOp load : ahead.loads)
      ofRound += bytesOfAll(load);
  }
  int64_t bytes() const { return places * ofRound; }
  /// Whether threads read what others bring.
  bool isShared() const {
    return llvm::any_of(ahead.loads, [&](LLVM::LoadOp load) { return bringersOf(load) < room.groupThreads; });
  }

  /// Begins to copy what a round needs. `mapping`: of what its addresses are computed from.
  void copy(Value round, IRMapping &mapping) {
    int64_t before = 0;
    for (LLVM::LoadOp load : ahead.loads) {
      Value place = placeOf(round, load, before), from = mapping.lookupOrDefault(load.getAddr());
      auto bring = [&] { b.copyAsync(place, from, {}, static_cast<int32_t>(bytesOf(load))); };
      if (int64_t threads = bringersOf(load); threads < room.groupThreads)
        b.when(b.less(room.thread, threads), bring);
      else
        bring();
    }
  }
  /// In place of the loads of a round.
  void read(Value round) {
    int64_t before = 0;
    for (LLVM::LoadOp load : ahead.loads) {
      Value place = placeOf(round, load, before);
      load.getResult().replaceAllUsesWith(LLVM::LoadOp::create(b, load.getType(), place, bytesOf(load)));
    }
  }

private:
  /// Threads of a group that bring what it needs of a load.
  int64_t bringersOf(LLVM::LoadOp load) const {
    auto apart = load->getAttrOfType<IntegerAttr>(threadsApartAttr);
    return apart && room.mayMeet ? std::min(apart.getInt(), room.groupThreads) : room.groupThreads;
  }
  int64_t bytesOfAll(LLVM::LoadOp load) const {
    return llvm::alignTo(room.groups * bringersOf(load) * bytesOf(load), alignment);
  }
  /// `before`: bytes of a round in front of those of the load; grows by these.
  Value placeOf(Value round, LLVM::LoadOp load, int64_t &before) {
    int64_t threads = bringersOf(load);
    Value first = b.add(b.mul(b.remainder(round, places), ofRound), b.index(before));
    Value thread = b.add(b.mul(room.group, threads), b.remainder(room.thread, threads));
    before += bytesOfAll(load);
    return b.address(room.pointer, b.getI8Type(), b.add(first, b.mul(thread, bytesOf(load))));
  }

  static constexpr int64_t alignment = widestAccess;
  CudaBuilder &b;
  const Ahead &ahead;
  const SharedRoom &room;
  int64_t places, ofRound = 0;
};
} // namespace

/// Whether a load can be an asynchronous copy.
static bool canBeCopied(LLVM::LoadOp load) {
  int64_t bytes = bytesOf(load);
  return (bytes == 4 || bytes == 8 || bytes == widestAccess) &&
         static_cast<int64_t>(load.getAlignment().value_or(1)) >= bytes;
}

/// A round waits for its own copies; behind the meeting those of all are there, and all have read the round before, in
/// whose place the next copies go.
int64_t stretto::codegen::copyAhead(CudaBuilder &b, scf::ForOp loop, const SharedRoom &room, GroupBarrier &barrier,
                                    int64_t places, ArrayRef<Value> written) {
  llvm::SmallDenseSet<Value> stored = storedBuffers(loop);
  stored.insert(written.begin(), written.end());
  Ahead ahead = findLoads(loop, [&](Value address) {
    BlockArgument buffer = bufferOf(address);
    return buffer && !stored.contains(buffer);
  });
  Ring ring(b, ahead, room, places);
  int64_t distance = places - 1;
  if (ahead.loads.empty() || !llvm::all_of(ahead.loads, canBeCopied))
    return 0;
  if (ring.bytes() > room.bytes)
    return ring.bytes();
  b.setInsertionPoint(loop);
  room.take(ring.bytes());
  auto meet = [&] {
    if (ring.isShared())
      barrier.meet();
  };
  auto copyFor = [&](Value round) {
    b.when(b.less(round, loop.getUpperBound()), [&] {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), round);
      for (Operation *op : ahead.addresses)
        b.clone(*op, mapping);
      ring.copy(round, mapping);
    });
    b.commitCopies();
  };
  meet();
  for (int64_t round = 0; round < distance; ++round)
    copyFor(b.index(round));
  b.setInsertionPointToStart(loop.getBody());
  b.awaitCopies(distance - 1);
  meet();
  copyFor(b.add(loop.getInductionVar(), b.index(distance)));
  ring.read(loop.getInductionVar());
  for (LLVM::LoadOp load : ahead.loads)
    load.erase();
  b.setInsertionPointAfter(loop);
  return ring.bytes();
}
