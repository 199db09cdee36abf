//===- VerifyMemory.cpp - run planned memory on shadows of values --------------===//
#include "codegen/memory/ArenaBounds.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Passes.h"
#include "codegen/memory/ReadyCheck.h"
#include "codegen/memory/Shadow.h"
#include "codegen/memory/Slots.h"
#include "codegen/memory/Timeline.h"
#include "codegen/memory/Views.h"
#include "codegen/rows/Overwrite.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Slots.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/PositionRows.h"
#include "passes/support/Scans.h"

#include "llvm/ADT/ScopeExit.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Runs one entry point.
class EntryRun {
public:
  EntryRun(ModuleOp module, func::FuncOp function)
      : module(module), function(function), ready(module, function), gradientsBegin(beginOfGradients(module)) {}

  LogicalResult run() {
    writeGiven();
    if (failed(block(function)) || failed(checkResults()))
      return failure();
    for (auto gradient : function.getOps<seq::GradientOp>())
      if (failed(checkGradient(gradient)))
        return failure();
    return ready.finish();
  }

private:
  /// What is there before the entry runs.
  void writeGiven() {
    for (auto parameter : module.getOps<seq::ParameterOp>()) {
      Content content = contents[parameter] = freshOf(parameter, parameter.getTensorType());
      shadow.write(parameterSpan(parameter, kern::slotOfSymbol(parameter)), content);
      writeRounded(parameter);
    }
    for (auto cache : module.getOps<seq::CacheOp>()) {
      contents[cache] = freshOf(cache, cache.getTensorType());
      auto slot = kern::slotOfSymbol(cache);
      shadow.write(place(cache.getType(), slot, cache.getTensorType().getShape().back(), slot.getStride()),
                   contents[cache]);
    }
    for (BlockArgument argument : function.getArguments()) {
      values[argument] = freshOf(function, argument.getType());
      shadow.write(span(argument), values[argument]);
    }
  }

  LogicalResult checkResults() {
    Operation *end = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      auto slot = kern::slotOfResult(function, i);
      Span expected = place(value.getType(), slot, columnsOf(value), 0);
      if (!shadow.holds(expected, values[value]))
        return showOther(end->emitOpError() << "does not find result " << i << " in its slot", expected, values[value]);
    }
    return success();
  }

  /// Of the gradients in the activations.
  static int64_t beginOfGradients(ModuleOp module) {
    auto begin = module->getAttrOfType<IntegerAttr>(kern::gradientsBeginAttr);
    return begin ? begin.getInt() : 0;
  }

  /// Where a value of `type` in `slot` is in this iteration; as `spanOf`.
  Span place(Type type, kern::SlotAttr slot, int64_t row, int64_t lead) const {
    Span span = spanOf(type, slot, iteration, row, lead);
    if (span.arena == kern::Arena::gradients) {
      span.arena = kern::Arena::activations;
      span.base += gradientsBegin;
    }
    return span;
  }

  Span parameterSpan(seq::ParameterOp op, kern::SlotAttr slot) const {
    return place(op.getTensorType(), slot, op.getTensorType().getShape().back(), slot.getStride());
  }

  /// The copy in bf16, which the program keeps beside the parameter.
  void writeRounded(seq::ParameterOp op) {
    auto type = op.getTensorType().clone(BFloat16Type::get(module.getContext()));
    kern::SlotAttr slot = kern::slotOfSymbol(op);
    passes::ParameterSlot half = passes::bf16Slot({slot.getOffset(), slot.getStride()});
    auto rounded = kern::SlotAttr::get(module.getContext(), kern::Arena::rounded, half.offset, half.stride, 0);
    Content content = roundedContents[op] = freshOf(op, type);
    shadow.write(place(type, rounded, type.getShape().back(), half.stride), content);
  }

  Span span(Value value) {
    kern::SlotAttr slot = kern::slotOf(value);
    return place(value.getType(), slot, rowStride(value), inBody ? 0 : slot.getStride());
  }

  bool isThere(Value value) { return shadow.holds(span(value), values[value]); }

  /// Names that `op` makes.
  Content freshOf(Operation *op, Type type) {
    Content content = shadow.fresh(type);
    makers[content->front().name] = op;
    return content;
  }

  /// Says of an error whose bytes lie where `content` should.
  InFlightDiagnostic showOther(InFlightDiagnostic error, const Span &span, const Content &content) {
    uint64_t name = shadow.findOther(span, content);
    if (auto maker = makers.upper_bound(name); name && maker != makers.begin())
      error.attachNote(std::prev(maker)->second->getLoc()) << "what lies there was written here";
    return error;
  }

  LogicalResult block(func::FuncOp function) {
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(operation(&op)))
        return failure();
    return success();
  }

  LogicalResult readOperands(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (!isThere(operand))
        return showOther(op->emitOpError() << "does not find operand " << i << " in iteration " << iteration,
                         span(operand), values[operand]);
    return success();
  }

  /// Results may not be stored over operands, except for accumulators, residuals and where a kernel allows it.
  LogicalResult checkOverlaps(Operation *op) {
    OpOperand *accumulator = accumulatorOf(op);
    for (OpOperand &use : op->getOpOperands())
      for (OpResult result : op->getResults()) {
        bool isTakenOver =
            &use == seq::updatedOperand(result) || (&use == residualOf(op) && span(use.get()) == span(result));
        if (&use == accumulator || isTakenOver || !overlap(span(use.get()), span(result)))
          continue;
        auto rowwise = dyn_cast<kern::RowwiseOp>(op);
        if (!rowwise || !mayOverwrite(rowwise, use.getOperandNumber(), result.getResultNumber())) {
          InFlightDiagnostic error = op->emitOpError() << "stores result " << result.getResultNumber()
                                                       << " over operand " << use.getOperandNumber();
          error.attachNote(use.get().getLoc()) << "the operand is computed here";
          return error;
        }
      }
    for (OpResult a : op->getResults())
      for (OpResult b : op->getResults().drop_front(a.getResultNumber() + 1))
        if (overlap(span(a), span(b)))
          return op->emitOpError() << "stores two results in one slot";
    return success();
  }

  LogicalResult operation(Operation *op) {
    if (failed(readOperands(op)))
      return failure();
    if (auto gradient = dyn_cast<seq::GradientOp>(op))
      return checkGradient(gradient);
    if (auto final = dyn_cast<kern::ReadyOp>(op))
      return checkReady(final);
    if (auto await = dyn_cast<kern::AwaitOp>(op))
      return ready.run(await, iteration, inBody);
    if (failed(ready.checkReads(op, iteration, inBody)))
      return failure();
    if (auto scan = dyn_cast<seq::ScanOp>(op))
      return runScan(scan);
    if (std::optional<Content> view = viewed(op)) {
      values[op->getResult(0)] = *view;
      if (!isThere(op->getResult(0)))
        return showOther(op->emitOpError() << "is not where its operands are", span(op->getResult(0)), *view);
      return success();
    }
    if (failed(checkOverlaps(op)))
      return failure();
    for (Value result : op->getResults()) {
      values[result] = isa<kern::CopyOp>(op) ? values[op->getOperand(0)] : freshOf(op, result.getType());
      shadow.write(span(result), values[result]);
    }
    return success();
  }

  /// The content of an operation that does nothing when the program runs.
  std::optional<Content> viewed(Operation *op) {
    if (auto get = dyn_cast<seq::GetParameterOp>(op))
      return (get.getRounded() ? roundedContents : contents)[module.lookupSymbol(get.getParameter())];
    if (auto get = dyn_cast<seq::GetCacheOp>(op))
      return contents[module.lookupSymbol(get.getCache())];
    if (auto pad = dyn_cast<kern::PadOp>(op))
      return padded(pad);
    if (isa<seq::TableOp, seq::LayerNumbersOp>(op))
      return tabulated(op);
    auto alias = dyn_cast<seq::AliasOp>(op);
    return alias ? viewedAs(alias) : std::nullopt;
  }

  /// Equal tables in one place are one, which is there before the program runs.
  Content tabulated(Operation *table) {
    Value result = table->getResult(0);
    auto [known, isFirst] = tables.try_emplace({passes::tableKey(table), kern::slotOf(result)});
    if (isFirst) {
      known->second = freshOf(table, result.getType());
      shadow.write(span(result), known->second);
    }
    return known->second;
  }

  std::optional<Content> viewedAs(seq::AliasOp op) {
    ValueRange operands = op->getOperands();
    switch (op.getAlias()) {
    case seq::Alias::whole:
      return values[operands[0]];
    case seq::Alias::columns:
      return sliceColumns(values[operands[0]], operands[0].getType(), op->getResultTypes()[0], op.getFirstColumn(0));
    case seq::Alias::pieces:
      return joinColumns(llvm::map_to_vector(operands, [&](Value piece) { return values[piece]; }),
                         operands.getTypes());
    case seq::Alias::reserved:
      return std::nullopt;
    }
    llvm_unreachable("an alias");
  }

  /// Nobody writes the padding, but it belongs to the value from here on: what else is stored there is found.
  Content padded(kern::PadOp op) {
    auto from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    SmallVector<int64_t> shape(to.getShape());
    shape.back() -= columnsOf(op.getOperand());
    RankedTensorType behind = to.clone(shape);
    kern::SlotAttr slot = kern::slotOf(op.getResult());
    Span there = place(behind, slot, rowStride(op.getResult()), 0);
    there.base += columnsOf(op.getOperand()) * elementBytes(to);
    Content padding = freshOf(op, behind);
    shadow.write(there, padding);
    return joinColumns({values[op.getOperand()], padding}, {from, behind});
  }

  /// Where the gradient of a parameter is to lie.
  static kern::SlotAttr gradientSlot(seq::ParameterOp parameter) {
    kern::SlotAttr slot = kern::slotOfSymbol(parameter);
    return kern::SlotAttr::get(parameter.getContext(), kern::Arena::gradients, slot.getOffset(), slot.getStride(), 0);
  }

  LogicalResult checkGradient(seq::GradientOp op) {
    auto parameter = cast<seq::ParameterOp>(module.lookupSymbol(op.getParameter()));
    Span expected = parameterSpan(parameter, gradientSlot(parameter));
    if (!shadow.holds(expected, values[op.getValue()]))
      return showOther(op.emitOpError() << "does not find its value in the gradient arena", expected,
                       values[op.getValue()]);
    return success();
  }

  /// The gradients are where those who are told of them read them.
  LogicalResult checkReady(kern::ReadyOp op) {
    for (auto [name, gradient] : llvm::zip(op.getParameters().getAsRange<FlatSymbolRefAttr>(), op.getGradients())) {
      auto parameter = cast<seq::ParameterOp>(module.lookupSymbol(name.getValue()));
      kern::SlotAttr slot = gradientSlot(parameter);
      Span expected = inBody ? place(gradient.getType(), slot, columnsOf(gradient), 0) : parameterSpan(parameter, slot);
      if (!shadow.holds(expected, values[gradient]))
        return showOther(op.emitOpError() << "does not find the gradient of " << name << " in iteration " << iteration,
                         expected, values[gradient]);
    }
    return ready.run(op, iteration, inBody);
  }

  LogicalResult passArguments(seq::ScanOp scan, func::FuncOp body, ArrayRef<Content> carry) {
    SmallVector<Content> arguments(carry);
    for (Value slice : scan.getSlices())
      arguments.push_back(entryOf(values[slice], iteration, scan.getTrips()));
    for (Value invariant : scan.getInvariants())
      arguments.push_back(values[invariant]);
    for (auto [argument, content] : llvm::zip(body.getArguments(), arguments)) {
      values[argument] = content;
      if (!isThere(argument))
        return showOther(scan.emitOpError()
                             << "does not pass argument " << argument.getArgNumber() << " in iteration " << iteration,
                         span(argument), content);
    }
    return success();
  }

  /// From the carried values at first to those at last, with the entries of the stacks between.
  LogicalResult runIterations(seq::ScanOp scan, MutableArrayRef<Content> carry,
                              MutableArrayRef<SmallVector<Content>> stacks) {
    func::FuncOp body = passes::bodyOf(scan);
    Operation *end = body.getBody().front().getTerminator();
    int64_t trips = scan.getTrips();
    auto leave = llvm::scope_exit([&] { inBody = false, iteration = 0; });
    inBody = true;
    for (int64_t step = 0; step < trips; ++step) {
      iteration = scan.getIteration(step);
      if (failed(passArguments(scan, body, carry)) || failed(block(body)) || failed(readOperands(end)))
        return failure();
      for (auto [i, content] : llvm::enumerate(carry))
        content = values[end->getOperand(i)];
      for (auto [i, stack] : llvm::enumerate(stacks))
        stack[iteration] = values[end->getOperand(carry.size() + i)];
    }
    return success();
  }

  LogicalResult runScan(seq::ScanOp scan) {
    SmallVector<Content> carry = llvm::map_to_vector(scan.getCarry(), [&](Value v) { return values[v]; });
    SmallVector<SmallVector<Content>> stacks(scan.getStackResults().size(), SmallVector<Content>(scan.getTrips()));
    if (failed(runIterations(scan, carry, stacks)))
      return failure();
    for (auto [result, content] : llvm::zip_equal(scan.getCarryResults(), carry))
      values[result] = content;
    for (auto [result, stack] : llvm::zip_equal(scan.getStackResults(), stacks))
      values[result] = joinEntries(stack);
    for (OpResult result : scan->getResults())
      if (!isThere(result))
        return showOther(scan.emitOpError() << "does not leave result " << result.getResultNumber() << " in its slot",
                         span(result), values[result]);
    return success();
  }

  ModuleOp module;
  func::FuncOp function;
  ReadyCheck ready;
  Shadow shadow;
  DenseMap<Value, Content> values;
  DenseMap<Operation *, Content> contents, roundedContents;  // of parameters and caches
  DenseMap<std::pair<Attribute, Attribute>, Content> tables; // by what they hold and their slots
  std::map<uint64_t, Operation *> makers;                    // of bytes, by the first of their names
  int64_t gradientsBegin;                                    // in the activations
  int64_t iteration = 0;
  bool inBody = false;
};

struct VerifyMemoryPass : stretto::codegen::impl::VerifyMemoryBase<VerifyMemoryPass> {
  void runOnOperation() final {
    if (failed(requireSlots(getOperation())) || failed(checkArenaBounds(getOperation())))
      return signalPassFailure();
    for (func::FuncOp entry : entryFunctions(getOperation()))
      if (failed(EntryRun(getOperation(), entry).run()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
