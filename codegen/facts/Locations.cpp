//===- Locations.cpp - places in the source -------------------------------===//
#include "codegen/facts/Locations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static void collect(Location loc, SmallVectorImpl<SourcePlace> &places) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case<FileLineColLoc>([&](FileLineColLoc one) {
        SourcePlace place{one.getFilename().str(), one.getLine(), one.getColumn()};
        if (!llvm::is_contained(places, place))
          places.push_back(place);
      })
      .Case<NameLoc>([&](NameLoc named) { collect(named.getChildLoc(), places); })
      .Case<CallSiteLoc>([&](CallSiteLoc call) { collect(call.getCallee(), places); })
      .Case<FusedLoc>([&](FusedLoc fused) {
        for (Location one : fused.getLocations())
          collect(one, places);
      });
}

SmallVector<SourcePlace> stretto::codegen::listPlaces(Location loc) {
  SmallVector<SourcePlace> places;
  collect(loc, places);
  return places;
}

std::string stretto::codegen::sourcePlaces(Location loc) {
  return llvm::join(llvm::map_range(listPlaces(loc), [](const SourcePlace &place) { return place.text(); }), ", ");
}
