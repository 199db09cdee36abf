//===- GroupRemarks.cpp - why operations share a kernel or not ----------------===//
#include "passes/fusion/GroupRemarks.h"

#include "ir/seq/SourceNames.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// The first line of a file that a location leads to; null where it leads to none.
static FileLineColLoc lineOf(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

/// `name`: what the source calls the operation, where it does.
static std::string describe(Operation *op, StringRef name) {
  std::string text = (name.empty() ? op->getName().getStringRef() : name).str();
  if (FileLineColLoc place = lineOf(op->getLoc()))
    text += " at line " + std::to_string(place.getLine());
  return text;
}

std::string stretto::passes::describe(Operation *op) { return ::describe(op, operationName(op->getLoc())); }

/// The function of the remark says whether they are of the backward.
static std::string describePair(const NotFused &pair) {
  auto describePlain = [](Operation *op) { return ::describe(op, sourceName(op->getLoc())); };
  return describePlain(pair.reader) + " and " + describePlain(pair.producer);
}

static std::string linesOf(ArrayRef<Operation *> members) {
  llvm::SmallSetVector<unsigned, 8> lines;
  for (Operation *op : members)
    if (FileLineColLoc place = lineOf(op->getLoc()))
      lines.insert(place.getLine());
  SmallVector<unsigned> sorted(lines.begin(), lines.end());
  llvm::sort(sorted);
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(sorted, out);
  return text;
}

std::string stretto::passes::namesOf(ArrayRef<Operation *> members) {
  std::map<unsigned, llvm::SmallSetVector<StringRef, 4>> lines;
  for (Operation *op : members) {
    StringRef name = sourceName(op->getLoc());
    if (FileLineColLoc place = lineOf(op->getLoc()); place && !name.empty())
      lines[place.getLine()].insert(name);
  }
  std::string text;
  for (auto &[line, names] : lines) {
    text += (text.empty() ? "" : ", ") + std::to_string(line);
    for (StringRef name : names)
      text += (" " + name).str();
  }
  return text;
}

static void remarkFused(func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                        ArrayRef<Operation *> members) {
  GroupCost fused = costOf(graph, members, costs);
  int64_t unfused = 0;
  for (Operation *op : members)
    unfused += costOf(graph, op, costs).bytes;
  auto options = remark::RemarkOpts::name("FusedRows").category("fusion").function(function.getName());
  remark::passed(members.front()->getLoc(), options)
      << (members.size() == 1 ? "one row operation is a kernel of its own"
                              : std::to_string(members.size()) + " row operations in one kernel")
      << remark::metric("Operations", members.size()) << remark::metric("Lines", linesOf(members))
      << remark::metric("BytesMoved", fused.bytes) << remark::metric("BytesNotMoved", unfused - fused.bytes)
      << remark::metric("Stages", fused.stages) << remark::metric("HaloRows", fused.haloRows)
      << remark::metric("Names", namesOf(members));
}

void stretto::passes::remarkGroups(func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                                   ArrayRef<NotFused> notFused) {
  for (unsigned group = 0; group < graph.getMembers().size(); ++group)
    if (!graph.getMembersOf(group).empty())
      remarkFused(function, graph, costs, graph.getMembersOf(group));
  for (const NotFused &pair : notFused) {
    auto options = remark::RemarkOpts::name(pair.isUnrelated ? "Unrelated" : "NotFused");
    auto remark = remark::missed(pair.reader->getLoc(), options.category("fusion").function(function.getName()));
    remark << (describe(pair.reader) + " is not in the kernel of " + describe(pair.producer))
           << remark::metric("Pair", describePair(pair));
    remark << remark::reason("{0}", pair.reason);
    if (!pair.advice.empty())
      remark << remark::suggest("{0}", pair.advice);
  }
}
