//===- SourceNames.cpp - what the source calls an operation ---------------===//
#include "ir/seq/SourceNames.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace stretto;

static constexpr llvm::StringLiteral gradientMark = "the gradient of";

Location stretto::nameOperation(Location place, StringRef name) {
  MLIRContext *context = place.getContext();
  return FusedLoc::get({place}, StringAttr::get(context, name), context);
}

Location stretto::markGradient(Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), gradientMark), loc);
}

std::string stretto::operationName(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    std::string name = operationName(named.getChildLoc());
    return named.getName() == gradientMark && !name.empty() ? (gradientMark + " " + name).str() : name;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return operationName(call.getCallee());
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused)
    return "";
  if (auto name = dyn_cast_if_present<StringAttr>(fused.getMetadata()))
    return name.str();
  return fused.getLocations().empty() ? "" : operationName(fused.getLocations().front());
}
