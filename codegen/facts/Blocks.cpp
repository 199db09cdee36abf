//===- Blocks.cpp - which block of the spec an operation belongs to -------===//
#include "codegen/facts/Blocks.h"

#include "ir/kern/KernOps.h"

#include "codegen/facts/Locations.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The outermost call in the spec that an operation was inlined from, as text; empty where there is none.
static std::string callOf(Location loc) {
  std::string call;
  loc->walk([&](Location inner) {
    auto site = dyn_cast<CallSiteLoc>(inner);
    if (!site)
      return isa<FileLineColLoc>(inner) ? WalkResult::interrupt() : WalkResult::advance();
    Location caller = site.getCaller();
    while (auto outer = dyn_cast<CallSiteLoc>(caller))
      caller = outer.getCaller();
    call = sourceLocations(caller);
    return WalkResult::interrupt();
  });
  return call;
}

/// The parameter a value shows, through slices of scans and views; null if it is none.
static seq::GetParameterOp parameterBehind(Value value, const Timeline &timeline) {
  for (;;) {
    if (auto get = value.getDefiningOp<seq::GetParameterOp>())
      return get;
    if (Operation *view = value.getDefiningOp()) {
      if (!seq::isViewOfOperand(view))
        return {};
      value = view->getOperand(0);
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    seq::ScanOp caller = function ? timeline.caller(function) : nullptr;
    if (!caller || argument.getArgNumber() < caller.getCarry().size())
      return {};
    value = caller->getOperand(argument.getArgNumber());
  }
}

std::string BlockNames::ofParameter(StringRef name) {
  StringRef block = name.rsplit('.').first;
  return (block.contains('.') ? block.rsplit('.').first : block).str();
}

/// The innermost location with the calls around it.
static std::string slotOf(Location loc) { return sourceLocations(loc) + " < " + callOf(loc); }

BlockNames::BlockNames(const Timeline &timeline) {
  auto add = [&](Operation &op) {
    for (Value operand : op.getOperands())
      if (seq::GetParameterOp get = parameterBehind(operand, timeline)) {
        auto parameter = SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr());
        std::string block = ofParameter(cast<seq::PartAttr>(parameter.getParts()[0]).getName().getValue());
        byPlace.try_emplace(slotOf(op.getLoc()), block);
        byCall.try_emplace(callOf(op.getLoc()), block);
      }
  };
  // Kernels come second: they may hold operations of two blocks.
  for (bool kernels : {false, true})
    for (func::FuncOp function : timeline.functions())
      for (Operation &op : function.getBody().front())
        if (!isa<seq::ScanOp, seq::GradientOp>(op) && isa<kern::RowwiseOp>(op) == kernels)
          add(op);
}

std::string BlockNames::of(Operation *op) const {
  if (auto it = byPlace.find(slotOf(op->getLoc())); it != byPlace.end())
    return it->second;
  auto it = byCall.find(callOf(op->getLoc()));
  return it == byCall.end() || it->first().empty() ? "model" : it->second;
}
