//===- Blocks.cpp -------------------------------------------------------------===//
#include "codegen/report/Blocks.h"

#include "codegen/report/Locations.h"

using namespace mlir;
using namespace stretto;

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
    call = sourcePlaces(caller);
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
      if (!isa<seq::ReshapeOp, seq::SliceOp>(view))
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

BlockNames::BlockNames(const Timeline &timeline) {
  for (func::FuncOp function : timeline.functions())
    for (Operation &op : function.getBody().front())
      for (Value operand : op.getOperands()) {
        seq::GetParameterOp get = isa<seq::ScanOp>(op) ? seq::GetParameterOp() : parameterBehind(operand, timeline);
        if (!get)
          continue;
        auto parameter = SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr());
        byCall.try_emplace(callOf(op.getLoc()),
                           ofParameter(cast<seq::PartAttr>(parameter.getParts()[0]).getName().getValue()));
      }
}

std::string BlockNames::of(Operation *op) const {
  auto it = byCall.find(callOf(op->getLoc()));
  return it == byCall.end() || it->first().empty() ? "model" : it->second;
}
