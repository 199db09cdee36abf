//===- PlanMemory.cpp - give every value a place in an arena ------------------===//
#include "codegen/memory/Allocate.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Passes.h"
#include "codegen/memory/Placer.h"

#include "mlir/IR/Remarks.h"

namespace stretto {
#define GEN_PASS_DEF_PLANMEMORY
#include "codegen/memory/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
using Interval = std::pair<int64_t, int64_t>;

/// When the memory of a value is in use, its uses through views not counted.
class Lifetimes {
public:
  Lifetimes(Timeline &timeline, Placer &placer) : timeline(timeline), placer(placer) {}

  Interval of(Value value, func::FuncOp function) {
    int64_t begin = beginOf(value, function), end = begin;
    for (OpOperand &use : value.getUses())
      end = std::max(end, readAt(use));
    seq::ScanOp caller = timeline.caller(function);
    if (caller && !diesInside(value, function))
      return {timeline.begin(caller), timeline.end(caller)};
    if (isStack(value))
      end = std::max(end, timeline.end(cast<seq::ScanOp>(value.getDefiningOp())));
    return {begin, end};
  }

private:
  static bool isStack(Value value) {
    auto scan = value.getDefiningOp<seq::ScanOp>();
    return scan && cast<OpResult>(value).getResultNumber() >= scan.getCarry().size();
  }

  int64_t beginOf(Value value, func::FuncOp function) {
    if (isStack(value))
      return timeline.begin(cast<seq::ScanOp>(value.getDefiningOp()));
    if (auto scan = value.getDefiningOp<seq::ScanOp>())
      return timeline.end(scan);
    if (Operation *op = value.getDefiningOp())
      return timeline.at(op);
    seq::ScanOp caller = timeline.caller(function);
    return caller ? timeline.begin(caller) : 0;
  }

  /// Slices and invariants are read until the last iteration; so is a carried value that stays the same.
  int64_t readAt(OpOperand &use) {
    auto scan = dyn_cast<seq::ScanOp>(use.getOwner());
    if (!scan)
      return timeline.at(use.getOwner());
    unsigned index = use.getOperandNumber();
    func::FuncOp body = bodyOf(scan);
    bool carried = index < scan.getCarry().size();
    bool unchanged = carried && body.getBody().front().getTerminator()->getOperand(index) == body.getArgument(index);
    return carried && !unchanged ? timeline.begin(scan) : timeline.end(scan);
  }

  /// Whether a value of a scan body has no memory that lives on from one iteration to the next: values in
  /// slots that move with the iteration, slices and invariants do.
  bool diesInside(Value value, func::FuncOp function) {
    Ref ref = placer.getStorage().resolve(placer.refOf(value));
    auto argument = dyn_cast<BlockArgument>(value);
    seq::ScanOp caller = timeline.caller(function);
    return !ref.stride && !(argument && argument.getArgNumber() >= caller.getCarry().size());
  }

  Timeline &timeline;
  Placer &placer;
};

struct PlanMemoryPass : stretto::impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (failed(checkBodies(module)))
      return signalPassFailure();
    parameters = layoutParameters(module);
    for (auto [op, place] : parameters.places)
      op->setAttr("kern.place", kern::PlaceAttr::get(&getContext(), kern::Arena::parameters, place.offset,
                                                     place.stride, 0));
    InterfaceSizes interface;
    for (func::FuncOp entry : entryFunctions(module)) {
      placeInterface(entry, interface);
      if (failed(plan(entry)))
        return signalPassFailure();
    }
    int64_t flat = parameters.trainableBytes;
    int64_t hyper = alignPlace(8 * parameters.elementType.getIntOrFloatBitWidth() / 8);
    int64_t arenas[] = {activations, parameters.totalBytes, flat,           flat, flat, flat, interface.inputs,
                        interface.outputs, tables.bytes(),  hyper};
    module->setAttr("kern.arenas", DenseI64ArrayAttr::get(&getContext(), arenas));
  }

private:
  /// Each body has one caller, so that its values have one place.
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
    Placer placer(getOperation(), parameters, tables);
    if (failed(placer.run(entry)))
      return failure();
    Timeline timeline(entry);
    int64_t bytes = assignOffsets(placer, timeline);
    activations = std::max(activations, bytes);
    remark::analysis(entry.getLoc(), remark::RemarkOpts::name("Peak").category("memory").function(entry.getName()))
        << "planned memory" << remark::metric("Bytes", bytes);
    for (func::FuncOp function : timeline.functions())
      writePlaces(placer, function, function != entry);
    return success();
  }

  /// Gives the buffers of one entry offsets in the ACTIVATIONS arena; returns its size.
  int64_t assignOffsets(Placer &placer, Timeline &timeline) {
    Storage &storage = placer.getStorage();
    Lifetimes lifetimes(timeline, placer);
    llvm::MapVector<unsigned, BufferRequest> requests;
    auto add = [&](Value value, func::FuncOp function) {
      unsigned root = storage.resolve(placer.refOf(value)).node;
      if (!storage.isBuffer(root))
        return;
      BufferRequest &request = requests[root];
      request.bytes = storage.bytes(root);
      request.live.push_back(lifetimes.of(value, function));
    };
    for (func::FuncOp function : timeline.functions()) {
      for (BlockArgument argument : function.getArguments())
        add(argument, function);
      for (Operation &op : function.getBody().front())
        for (Value result : op.getResults())
          add(result, function);
    }
    SmallVector<BufferRequest> list;
    for (auto &[root, request] : requests)
      list.push_back(request);
    Allocation allocation = allocate(list, placeAlignment);
    for (auto [i, entry] : llvm::enumerate(requests))
      storage.fix(entry.first, kern::Arena::activations, allocation.offsets[i]);
    return allocation.bytes;
  }

  void writePlaces(Placer &placer, func::FuncOp function, bool withArguments) {
    auto addressOf = [&](Value value) { return placer.getStorage().address(&getContext(), placer.refOf(value)); };
    if (withArguments)
      for (BlockArgument argument : function.getArguments())
        function.setArgAttr(argument.getArgNumber(), "kern.place", addressOf(argument));
    for (Operation &op : function.getBody().front()) {
      if (op.getNumResults() == 0)
        continue;
      SmallVector<Attribute> places = llvm::map_to_vector(
          op.getResults(), [&](Value result) { return static_cast<Attribute>(addressOf(result)); });
      op.setAttr("kern.places", ArrayAttr::get(&getContext(), places));
    }
  }

  ParameterLayout parameters;
  TableLayout tables;
  int64_t activations = 0;
};
} // namespace
