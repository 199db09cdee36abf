//===- PlanMemory.cpp - give every value a slot in an arena ------------------===//
#include "codegen/memory/Entries.h"
#include "codegen/memory/ParameterArenas.h"
#include "codegen/memory/Passes.h"
#include "codegen/memory/SharedGradients.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Slots.h"
#include "ir/seq/TensorBytes.h"
#include "runtime/abi/abi.h"

#include "mlir/IR/Remarks.h"

#include <list>

namespace stretto::codegen {
#define GEN_PASS_DEF_PLANMEMORY
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct PlanMemoryPass : stretto::codegen::impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (failed(checkBodies(module)))
      return signalPassFailure();
    parameters = passes::layoutParameters(module);
    for (auto [op, slot] : parameters.slots)
      op->setAttr(kern::slotAttr,
                  kern::SlotAttr::get(&getContext(), kern::Arena::parameters, slot.offset, slot.stride, 0));
    int64_t cacheBytes = assignCaches(module);
    InterfaceSizes interface;
    for (func::FuncOp entry : entryFunctions(module)) {
      assignInterface(entry, interface);
      if (failed(plan(entry)))
        return signalPassFailure();
    }
    Side side =
        *llvm::min_element(sides, [&](Side a, Side b) { return bytesOfActivations(a) < bytesOfActivations(b); });
    int64_t activations = bytesOfActivations(side);
    for (Planned &entry : planned)
      placeBuffers(entry, side, activations);
    module->setAttr(kern::arenasAttr,
                    DenseI64ArrayAttr::get(&getContext(), bytesOfArenas(activations, interface, cacheBytes)));
    Builder b(&getContext());
    module->setAttr(kern::activationBytesAttr, b.getI64IntegerAttr(std::min(alone, activations)));
    module->setAttr(kern::gradientsBeginAttr,
                    b.getI64IntegerAttr(side == Side::start ? 0 : activations - parameters.trainableBytes));
  }

private:
  /// Places the caches one behind the other; returns their bytes.
  int64_t assignCaches(ModuleOp module) {
    int64_t end = 0;
    for (auto cache : module.getOps<seq::CacheOp>()) {
      int64_t trips = cache.getStacked() ? cache.getTensorType().getDimSize(0) : 1;
      int64_t stride = passes::alignSlot(bytesOf(cache.getType()) / trips);
      cache->setAttr(kern::slotAttr,
                     kern::SlotAttr::get(&getContext(), kern::Arena::cache, end, cache.getStacked() ? stride : 0, 0));
      end += trips * stride;
    }
    return end;
  }

  /// What each arena takes, in the order of their numbers.
  SmallVector<int64_t> bytesOfArenas(int64_t activations, const InterfaceSizes &interface, int64_t cacheBytes) {
    using kern::Arena;
    const auto ofParameters = parameterArenas(parameters);
    const std::pair<Arena, int64_t> others[] = {
        {Arena::activations, activations},
        {Arena::inputs, interface.inputs},
        {Arena::outputs, interface.outputs},
        {Arena::tables, tables.bytes()},
        {Arena::hyper, passes::alignSlot(STRETTO_HYPER_COUNT * elementBytes(parameters.elementType))},
        {Arena::cache, cacheBytes}};
    constexpr size_t count = std::tuple_size_v<decltype(ofParameters)> + std::size(others);
    static_assert(count == kern::getMaxEnumValForArena() + 1, "each arena has a size");
    SmallVector<int64_t> bytes(count);
    for (auto [arena, size] : llvm::concat<const std::pair<Arena, int64_t>>(ofParameters, others))
      bytes[static_cast<size_t>(arena)] = size;
    return bytes;
  }

  /// Each body has one caller, so that its values have one slot.
  LogicalResult checkBodies(ModuleOp module) {
    DenseMap<StringRef, Operation *> callers;
    WalkResult result = module.walk([&](seq::ScanOp scan) {
      auto [other, isNew] = callers.try_emplace(scan.getBody(), scan);
      if (isNew)
        return WalkResult::advance();
      auto diagnostic = scan.emitOpError() << "must be the only caller of its body";
      diagnostic.attachNote(other->second->getLoc()) << "also called here";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Where gradients lie in the ACTIVATIONS arena.
  enum class Side { start, end };
  static constexpr Side sides[] = {Side::start, Side::end};

  /// An entry and its buffers, with an offset for each of them, counted from the side where gradients lie.
  struct Planned {
    Planned(ModuleOp module, passes::ParameterLayout &parameters, TableLayout &tables)
        : assigner(module, parameters, tables) {}
    SlotAssigner assigner;
    SmallVector<func::FuncOp> functions; // the entry, then the bodies it calls
    SmallVector<unsigned> buffers;
    Allocation allocations[std::size(sides)];
    Allocation &of(Side side) { return allocations[static_cast<unsigned>(side)]; }
  };

  LogicalResult plan(func::FuncOp function) {
    Planned &entry = planned.emplace_back(getOperation(), parameters, tables);
    if (failed(entry.assigner.run(function)))
      return failure();
    Timeline timeline(function);
    entry.functions = llvm::to_vector(timeline.functions());
    allocateBuffers(entry, timeline);
    return success();
  }

  void allocateBuffers(Planned &entry, Timeline &timeline) {
    Storage &storage = entry.assigner.getStorage();
    auto occupations = collectOccupations(entry.assigner, timeline);
    SmallVector<BufferRequest> requests;
    for (auto &[root, uses] : occupations)
      if (storage.isBuffer(root)) {
        entry.buffers.push_back(root);
        requests.emplace_back(piecesOf(uses, storage.bytes(root)));
      }
    SmallVector<LivePiece> kept =
        keptForGradients(entry.functions.front(), parameters, storage, occupations, timeline.end());
    alone = std::max(alone, allocate(requests, {}, passes::slotAlignment).bytes);
    entry.of(Side::start) = allocate(requests, kept, passes::slotAlignment);
    for (auto [root, request] : llvm::zip(entry.buffers, requests))
      request = seenFromEnd(request, passes::alignSlot(storage.bytes(root)));
    entry.of(Side::end) = allocate(requests, seenFromEnd(kept, parameters.trainableBytes), passes::slotAlignment);
  }

  int64_t bytesOfActivations(Side side) {
    int64_t bytes = parameters.trainableBytes;
    for (Planned &entry : planned)
      bytes = std::max(bytes, entry.of(side).bytes);
    return bytes;
  }

  void placeBuffers(Planned &entry, Side side, int64_t activations) {
    Storage &storage = entry.assigner.getStorage();
    for (auto [root, offset] : llvm::zip(entry.buffers, entry.of(side).offsets))
      storage.fix(root, kern::Arena::activations,
                  side == Side::start ? offset : activations - offset - passes::alignSlot(storage.bytes(root)));
    func::FuncOp first = entry.functions.front();
    remark::analysis(first.getLoc(), remark::RemarkOpts::name("Peak").category("memory").function(first.getName()))
        << "planned memory" << remark::metric("Bytes", std::max(entry.of(side).bytes, parameters.trainableBytes));
    for (func::FuncOp function : entry.functions)
      writePlaces(entry.assigner, function, function != first);
  }

  void writePlaces(SlotAssigner &assigner, func::FuncOp function, bool withArguments) {
    auto addressOf = [&](Value value) { return assigner.getStorage().address(&getContext(), assigner.refOf(value)); };
    if (withArguments)
      for (BlockArgument argument : function.getArguments())
        function.setArgAttr(argument.getArgNumber(), kern::slotAttr, addressOf(argument));
    for (Operation &op : function.getBody().front()) {
      if (op.getNumResults() == 0)
        continue;
      SmallVector<Attribute> slots =
          llvm::map_to_vector(op.getResults(), [&](Value result) { return static_cast<Attribute>(addressOf(result)); });
      op.setAttr(kern::slotsAttr, ArrayAttr::get(&getContext(), slots));
    }
  }

  passes::ParameterLayout parameters;
  TableLayout tables;
  std::list<Planned> planned;
  int64_t alone = 0; // bytes of activations without gradients
};
} // namespace
