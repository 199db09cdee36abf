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

namespace {
struct Name {
  StringRef text;
  bool isGradient = false;
};
} // namespace

static Name findName(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    Name name = findName(named.getChildLoc());
    return {name.text, name.isGradient || named.getName() == gradientMark};
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findName(call.getCallee());
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused)
    return {};
  if (auto name = dyn_cast_if_present<StringAttr>(fused.getMetadata()))
    return {name.getValue()};
  return fused.getLocations().empty() ? Name() : findName(fused.getLocations().front());
}

bool stretto::isOfGradient(Location loc) { return findName(loc).isGradient; }

StringRef stretto::sourceName(Location loc) { return findName(loc).text; }

std::string stretto::operationName(Location loc) {
  auto [text, isGradient] = findName(loc);
  return isGradient && !text.empty() ? (gradientMark + " " + text).str() : text.str();
}

LocationAttr stretto::outermostCall(Location loc) {
  LocationAttr call;
  loc->walk([&](Location inner) {
    auto site = dyn_cast<CallSiteLoc>(inner);
    if (!site)
      return isa<FileLineColLoc>(inner) ? WalkResult::interrupt() : WalkResult::advance();
    Location caller = site.getCaller();
    while (auto outer = dyn_cast<CallSiteLoc>(caller))
      caller = outer.getCaller();
    call = caller;
    return WalkResult::interrupt();
  });
  return call;
}
