//===- Locations.cpp - locations in the source -------------------------------===//
#include "codegen/facts/Locations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static void collect(Location loc, SmallVectorImpl<SourceLocation> &found) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case<FileLineColLoc>([&](FileLineColLoc one) {
        SourceLocation location{one.getFilename().str(), one.getLine(), one.getColumn()};
        if (!llvm::is_contained(found, location))
          found.push_back(location);
      })
      .Case<NameLoc>([&](NameLoc named) { collect(named.getChildLoc(), found); })
      .Case<CallSiteLoc>([&](CallSiteLoc call) { collect(call.getCallee(), found); })
      .Case<FusedLoc>([&](FusedLoc fused) {
        for (Location one : fused.getLocations())
          collect(one, found);
      });
}

SmallVector<SourceLocation> stretto::codegen::listLocations(Location loc) {
  SmallVector<SourceLocation> found;
  collect(loc, found);
  return found;
}

std::string stretto::codegen::sourceLocations(Location loc) {
  return llvm::join(llvm::map_range(listLocations(loc), [](const SourceLocation &location) { return location.text(); }),
                    ", ");
}
