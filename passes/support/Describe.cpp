//===- Describe.cpp - how remarks name operations -------------------------===//
#include "passes/support/Describe.h"

#include "ir/seq/SourceNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace stretto;

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

static std::map<Line, Names> namesByLine(ArrayRef<Operation *> ops, Location near) {
  std::map<Line, Names> lines;
  for (Operation *op : ops)
    if (FileLineColLoc place = placeOf(op->getLoc())) {
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
