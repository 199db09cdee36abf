//===- GroupGraph.cpp - groups of row operations and the paths between them ---===//
#include "passes/fusion/GroupGraph.h"

#include "passes/support/StoredBytes.h"

#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

GroupGraph::GroupGraph(func::FuncOp function, const RowRoles &roles, const RowAnalysis &rows) : roles(roles) {
  for (auto [i, op] : llvm::enumerate(function.getBody().front())) {
    order[&op] = i;
    if (roles.getRole(&op) != RowRole::duplicated)
      addNode(&op);
  }
  for (Operation &op : function.getBody().front())
    if (nodes.contains(&op))
      addEdges(&op);
  paths.emplace(nodeOps.size(), edges);
  for (Operation *member : members)
    collectFlows(member, rows);
}

void GroupGraph::addNode(Operation *op) {
  auto add = [&] {
    nodeOps.push_back(op);
    return static_cast<unsigned>(nodeOps.size() - 1);
  };
  nodes[op] = outputs[op] = add();
  if (roles.getRole(op) != RowRole::member)
    return;
  groups[op] = members.size();
  members.push_back(op);
  membersOf.push_back({op});
  if (isa<seq::ColumnSumOp>(op)) // complete only after the last row
    outputs[op] = add();
}

void GroupGraph::addEdges(Operation *op) {
  unsigned node = nodes[op], output = outputs[op];
  for (Operation *reader : roles.findReaders(op->getResults()))
    edges.emplace_back(output, nodes[reader]);
  if (output != node)
    edges.emplace_back(node, output);
}

void GroupGraph::collectFlows(Operation *op, const RowAnalysis &rows) {
  bool isParameter = roles.getSpace(op).isParameter;
  llvm::SmallMapVector<Value, llvm::SmallMapVector<Value, int64_t, 1>, 4> read;
  // Many ways may lead through arithmetic on parameters.
  std::set<std::tuple<Operation *, const void *, int64_t, bool>> passed;
  auto visit = [&](auto &&self, Value value, Value part, int64_t limit, bool whole) -> void {
    Operation *def = value.getDefiningOp();
    if (!def || roles.getRole(def) != RowRole::duplicated) {
      bool moves = rows.isRow(value) || (isParameter && !whole);
      int64_t &bytes = read[value][part ? part : value];
      bytes = std::max(bytes, moves ? std::min(limit, storedBytes(value)) : 0);
      return;
    }
    if (!passed.emplace(def, part.getAsOpaquePointer(), limit, whole).second)
      return;
    bool repeats = isa<seq::BroadcastOp>(def), cuts = isa<seq::SliceOp>(def);
    int64_t inner = cuts ? std::min(limit, storedBytes(value)) : repeats ? INT64_MAX : limit;
    for (Value operand : def->getOperands())
      self(self, operand, part || !cuts ? part : value, inner, whole || repeats);
  };
  for (Value operand : op->getOperands())
    visit(visit, operand, Value(), INT64_MAX, false);
  SmallVector<RowFlow> &list = flows[op];
  for (auto &[value, parts] : read)
    list.push_back({value, bytesOfParts(value, parts), std::move(parts)});
}

int64_t stretto::passes::bytesOfParts(Value value, const llvm::SmallMapVector<Value, int64_t, 1> &parts) {
  return std::min(storedBytes(value), llvm::sum_of(llvm::make_second_range(parts)));
}

bool GroupGraph::isAnyBetween(unsigned a, unsigned b) const { return paths->isAnyBetween(getNode(a), getNode(b)); }

Operation *GroupGraph::findBetween(unsigned a, unsigned b) const {
  auto isOutside = [&](unsigned node) { return roles.getRole(nodeOps[node]) == RowRole::outside; };
  std::optional<unsigned> node = paths->findBetween(getNode(a), getNode(b), isOutside);
  return node ? nodeOps[*node] : nullptr;
}

llvm::BitVector GroupGraph::getRelated(unsigned group) const {
  const llvm::BitVector nodes = paths->getRelated(getNode(group));
  llvm::BitVector related(members.size());
  for (unsigned other = 0; other < members.size(); ++other)
    if (!membersOf[other].empty() && nodes.test(paths->getLeader(getNode(other))))
      related.set(other);
  return related;
}

void GroupGraph::merge(unsigned a, unsigned b) {
  if (b < a)
    std::swap(a, b);
  paths->merge(getNode(a), getNode(b));
  for (Operation *op : membersOf[b])
    groups[op] = a;
  llvm::append_range(membersOf[a], membersOf[b]);
  llvm::sort(membersOf[a], [&](Operation *l, Operation *r) { return order.lookup(l) < order.lookup(r); });
  membersOf[b].clear();
}

void GroupGraph::mergeJoin(unsigned group, Operation *join) {
  for (Value sum : join->getOperands())
    paths->merge(getNode(group), outputs.lookup(sum.getDefiningOp()));
  merge(group, getGroup(join));
}

SmallVector<Operation *> GroupGraph::withDuplicated(ArrayRef<Operation *> ops) const {
  llvm::SmallSetVector<Operation *, 16> all(ops.begin(), ops.end());
  for (unsigned i = 0; i < all.size(); ++i)
    for (Value operand : all[i]->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && roles.getRole(def) == RowRole::duplicated)
        all.insert(def);
  SmallVector<Operation *> sorted(all.begin(), all.end());
  llvm::sort(sorted, [&](Operation *l, Operation *r) { return order.lookup(l) < order.lookup(r); });
  return sorted;
}
