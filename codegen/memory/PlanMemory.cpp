//===- PlanMemory.cpp - give every value a slot in an arena ------------------===//
#include "codegen/memory/Entries.h"
#include "codegen/memory/Passes.h"
#include "codegen/memory/SharedGradients.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Slots.h"
#include "ir/seq/TensorBytes.h"
#include "runtime/abi/abi.h"

#include "mlir/IR/Remarks.h"

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
    int64_t flat = parameters.trainableBytes;
    int64_t hyper = passes::alignSlot(STRETTO_HYPER_COUNT * elementBytes(parameters.elementType));
    int64_t arenas[] = {activations,
                        parameters.totalBytes,
                        flat,
                        flat,
                        flat,
                        flat,
                        interface.inputs,
                        interface.outputs,
                        tables.bytes(),
                        hyper,
                        parameters.roundedBytes,
                        cacheBytes,
                        parameters.squaresBytes};
    module->setAttr(kern::arenasAttr, DenseI64ArrayAttr::get(&getContext(), arenas));
    module->setAttr(kern::activationBytesAttr, Builder(&getContext()).getI64IntegerAttr(alone));
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

  LogicalResult plan(func::FuncOp entry) {
    SlotAssigner assigner(getOperation(), parameters, tables);
    if (failed(assigner.run(entry)))
      return failure();
    Timeline timeline(entry);
    int64_t bytes = assignOffsets(assigner, timeline);
    activations = std::max(activations, bytes);
    remark::analysis(entry.getLoc(), remark::RemarkOpts::name("Peak").category("memory").function(entry.getName()))
        << "planned memory" << remark::metric("Bytes", bytes);
    for (func::FuncOp function : timeline.functions())
      writePlaces(assigner, function, function != entry);
    return success();
  }

  /// Gives the buffers of one entry offsets in the ACTIVATIONS arena; returns its size.
  int64_t assignOffsets(SlotAssigner &assigner, Timeline &timeline) {
    Storage &storage = assigner.getStorage();
    auto occupations = collectOccupations(assigner, timeline);
    SmallVector<unsigned> roots;
    SmallVector<BufferRequest> requests;
    for (auto &[root, uses] : occupations)
      if (storage.isBuffer(root)) {
        roots.push_back(root);
        requests.emplace_back(piecesOf(uses, storage.bytes(root)));
      }
    SmallVector<LivePiece> kept =
        keptForGradients(timeline.functions().front(), parameters, storage, occupations, timeline.end());
    Allocation allocation = allocate(requests, kept, passes::slotAlignment);
    for (auto [root, offset] : llvm::zip(roots, allocation.offsets))
      storage.fix(root, kern::Arena::activations, offset);
    alone = std::max(alone, allocate(requests, {}, passes::slotAlignment).bytes);
    return std::max(allocation.bytes, parameters.trainableBytes);
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
  int64_t activations = 0; // gradients included
  int64_t alone = 0;       // without gradients
};
} // namespace
