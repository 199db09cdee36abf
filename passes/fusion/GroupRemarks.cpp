//===- GroupRemarks.cpp - why operations share a kernel or not ----------------===//
#include "passes/fusion/GroupRemarks.h"

#include "passes/fusion/KernelNames.h"
#include "passes/support/Describe.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/Marks.h"
#include "ir/seq/SourceNames.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// Which half of a step operations are of, in front of their names; nothing for the forward, which may compute besides
/// what the backward repeats.
static StringRef halfOf(func::FuncOp function, ArrayRef<Operation *> members) {
  auto isOfBackward = [&](Operation *op) { return function->hasAttr(kForwardAttr) || isOfGradient(op->getLoc()); };
  auto isOfForward = [&](Operation *op) { return !isOfBackward(op) && !op->hasAttr(kRecomputedAttr); };
  if (llvm::none_of(members, isOfForward))
    return "backward of ";
  return llvm::any_of(members, isOfBackward) ? "forward and backward of " : "";
}

static std::string namesOfKernel(func::FuncOp function, const GroupGraph &graph, const LibraryCalls &calls,
                                 ArrayRef<Operation *> members) {
  std::string names = namesOf(calls.withoutTheirs(graph.withDuplicated(members)), members.front()->getLoc());
  return names.empty() ? names : (halfOf(function, members) + names).str();
}

static void remarkFused(func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                        const LibraryCalls &calls, ArrayRef<Operation *> members) {
  GroupCost fused = costOf(graph, members, costs);
  int64_t unfused = 0;
  for (Operation *op : members)
    unfused += costOf(graph, op, costs).bytes;
  Location loc = members.front()->getLoc();
  auto number = members.front()->getAttrOfType<IntegerAttr>(kern::groupAttr);
  auto options = remark::RemarkOpts::name("FusedRows").category("fusion").function(function.getName());
  remark::passed(loc, options) << (members.size() == 1
                                       ? "one row operation is a kernel of its own"
                                       : std::to_string(members.size()) + " row operations in one kernel")
                               << remark::metric("Operations", members.size())
                               << remark::metric("Lines", linesOf(members, loc))
                               << remark::metric("BytesMoved", fused.bytes)
                               << remark::metric("BytesNotMoved", unfused - fused.bytes)
                               << remark::metric("Stages", fused.stages) << remark::metric("HaloRows", fused.haloRows)
                               << remark::metric("Names", namesOfKernel(function, graph, calls, members))
                               << remark::metric("Kernel", kernelName(function, number.getInt()));
}

void stretto::passes::remarkGroups(func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                                   const LibraryCalls &calls, ArrayRef<NotFused> notFused) {
  for (unsigned group = 0; group < graph.getMembers().size(); ++group)
    if (!graph.getMembersOf(group).empty())
      remarkFused(function, graph, costs, calls, graph.getMembersOf(group));
  for (const NotFused &pair : notFused) {
    auto options = remark::RemarkOpts::name(pair.isUnrelated ? "Unrelated" : "NotFused");
    auto remark = remark::missed(pair.reader->getLoc(), options.category("fusion").function(function.getName()));
    Location loc = pair.reader->getLoc();
    remark << (describe(pair.reader, loc) + " is not in the kernel of " + describe(pair.producer, loc))
           << remark::metric("Pair", describeSource(pair.reader, loc) + " and " + describeSource(pair.producer, loc));
    remark << remark::reason("{0}", pair.reason);
    if (!pair.advice.empty())
      remark << remark::suggest("{0}", pair.advice);
  }
}
