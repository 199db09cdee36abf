//===- Chip.cpp - GPU architectures that code can be made for -------------===//
#include "codegen/cuda/binary/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace stretto;
using namespace stretto::codegen;
using llvm::StringRef;

static constexpr Chip chips[] = {
    {"sm_80", 80, 70},    {"sm_86", 86, 71},    {"sm_87", 87, 74},    {"sm_88", 88, 90},    {"sm_89", 89, 78},
    {"sm_90", 90, 78},    {"sm_90a", 90, 80},   {"sm_100", 100, 86},  {"sm_100a", 100, 86}, {"sm_100f", 100, 88},
    {"sm_101", 101, 86},  {"sm_101a", 101, 86}, {"sm_101f", 101, 88}, {"sm_103", 103, 88},  {"sm_103a", 103, 88},
    {"sm_103f", 103, 88}, {"sm_110", 110, 90},  {"sm_110a", 110, 90}, {"sm_110f", 110, 90}, {"sm_120", 120, 87},
    {"sm_120a", 120, 87}, {"sm_120f", 120, 88}, {"sm_121", 121, 88},  {"sm_121a", 121, 88}, {"sm_121f", 121, 88},
};

llvm::ArrayRef<Chip> Chip::all() { return chips; }

static StringRef nearestChip(StringRef name) {
  auto distance = [&](const Chip &chip) { return name.edit_distance(chip.name); };
  return llvm::min_element(chips, [&](const Chip &a, const Chip &b) { return distance(a) < distance(b); })->name;
}

/// Whether `name` is written as an architecture older than any of ours.
static bool isTooOld(StringRef name) {
  unsigned version = 0;
  return name.consume_front("sm_") && !name.getAsInteger(10, version) && version >= 10 && version < chips[0].version;
}

llvm::FailureOr<Chip> Chip::resolve(StringRef name, llvm::function_ref<void(const llvm::Twine &)> reportError) {
  const Chip *found = llvm::find_if(chips, [&](const Chip &chip) { return chip.name == name; });
  if (found != std::end(chips))
    return *found;
  if (isTooOld(name))
    reportError("chip must be sm_80 or newer, but got '" + name + "'");
  else
    reportError("chip must be a name like sm_90a, but got '" + name + "'; did you mean '" + nearestChip(name) + "'?");
  return llvm::failure();
}
