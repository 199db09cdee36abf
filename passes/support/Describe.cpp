//===- Describe.cpp - how remarks name operations -------------------------===//
#include "passes/support/Describe.h"

#include "ir/seq/SeqOps.h"
#include "ir/seq/SourceNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// The first line of a file that a location leads to; null where it leads to none.
static FileLineColLoc placeOf(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

/// The name of the file of `place` where it is another than that of `near`.
static StringRef otherFile(FileLineColLoc place, Location near) {
  FileLineColLoc from = placeOf(near);
  return from && from.getFilename() != place.getFilename() ? llvm::sys::path::filename(place.getFilename()) : "";
}

static std::string describeAs(StringRef name, Operation *op, Location near) {
  std::string text = (name.empty() ? op->getName().getStringRef() : name).str();
  FileLineColLoc place = placeOf(op->getLoc());
  if (!place)
    return text;
  StringRef file = otherFile(place, near);
  return text + " at " + (file.empty() ? "line " : file.str() + ":") + std::to_string(place.getLine());
}

std::string stretto::passes::describe(Operation *op, Location near) {
  return describeAs(operationName(op->getLoc()), op, near);
}

std::string stretto::passes::describeSource(Operation *op, Location near) {
  return describeAs(sourceName(op->getLoc()), op, near);
}

namespace {
using Line = std::pair<StringRef, unsigned>; // of a file, which is empty for that of what they are near to
using Names = llvm::SmallSetVector<StringRef, 4>;
} // namespace

/// Operations with their places, by the columns of these.
static SmallVector<std::pair<FileLineColLoc, Operation *>> byColumn(ArrayRef<Operation *> ops) {
  SmallVector<std::pair<FileLineColLoc, Operation *>> places;
  for (Operation *op : ops)
    if (FileLineColLoc place = placeOf(op->getLoc()))
      places.emplace_back(place, op);
  llvm::stable_sort(places, [](auto &a, auto &b) { return a.first.getColumn() < b.first.getColumn(); });
  return places;
}

static std::map<Line, Names> namesByLine(ArrayRef<Operation *> ops, Location near) {
  std::map<Line, Names> lines;
  for (auto [place, op] : byColumn(ops)) {
    Names &names = lines[{otherFile(place, near), place.getLine()}];
    if (StringRef name = sourceName(op->getLoc()); !name.empty())
      names.insert(name);
  }
  return lines;
}

static std::string textOf(Line line) {
  return (line.first.empty() ? "" : line.first.str() + ":") + std::to_string(line.second);
}

std::string stretto::passes::namesOf(ArrayRef<Operation *> ops, Location near) {
  SmallVector<std::string> parts;
  for (const auto &[line, names] : namesByLine(ops, near))
    if (!names.empty())
      parts.push_back(textOf(line) + " " + llvm::join(names, " "));
  return llvm::join(parts, ", ");
}

std::string stretto::passes::linesOf(ArrayRef<Operation *> ops, Location near) {
  SmallVector<std::string> parts;
  for (const auto &[line, names] : namesByLine(ops, near))
    parts.push_back(textOf(line));
  return llvm::join(parts, ", ");
}

//===- Library calls -------------------------------------------------------------===//

LibraryCalls::LibraryCalls(ModuleOp module) {
  module.walk([&](seq::LibraryOp op) { add(op->getLoc()); });
}

/// A merged matmul is at the places of all its parts.
void LibraryCalls::add(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  if (fused && !isa_and_present<StringAttr>(fused.getMetadata()))
    llvm::for_each(fused.getLocations(), [&](Location part) { add(part); });
  else if (FileLineColLoc place = placeOf(loc))
    calls.insert({place, sourceName(loc)});
}

bool LibraryCalls::has(Location loc) const {
  FileLineColLoc place = placeOf(loc);
  return place && calls.contains({place, sourceName(loc)});
}

SmallVector<Operation *> LibraryCalls::withoutTheirs(ArrayRef<Operation *> ops) const {
  SmallVector<Operation *> left = llvm::filter_to_vector(ops, [&](Operation *op) {
    bool moves = isa<seq::MovementOp>(op);
    return !op->hasTrait<OpTrait::ConstantLike>() && !(moves && has(op->getLoc()));
  });
  return left.empty() ? SmallVector<Operation *>(ops) : left;
}
