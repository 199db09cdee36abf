//===- GroupGraph.cpp - groups of row operations and the paths between them ---===//
#include "passes/Fusion/GroupGraph.h"

#include "passes/Support/StoredBytes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;

GroupGraph::GroupGraph(func::FuncOp function, const RowRoles &roles, const RowAnalysis &rows) : roles(roles) {
  for (auto [i, op] : llvm::enumerate(function.getBody().front())) {
    order[&op] = i;
    if (roles.getRole(&op) != RowRole::repeated)
      addNode(&op);
  }
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (nodes.contains(&op))
      addEdges(&op);
  reaches.assign(nodeOps.size(), llvm::BitVector(nodeOps.size()));
  reachedFrom = reaches;
  // Readers come later in the block, so what they reach is complete when it is joined.
  for (auto [from, to] : edges) {
    reaches[from].set(to);
    reaches[from] |= reaches[to];
  }
  for (auto [from, to] : llvm::reverse(edges)) {
    reachedFrom[to].set(from);
    reachedFrom[to] |= reachedFrom[from];
  }
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
  llvm::SmallSetVector<Operation *, 8> readers;
  SmallVector<Operation *> work(op->getUsers());
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (roles.getRole(user) != RowRole::repeated)
      readers.insert(user);
    else
      llvm::append_range(work, user->getUsers());
  }
  unsigned node = nodes[op], output = outputs[op];
  for (Operation *reader : readers)
    edges.emplace_back(output, nodes[reader]);
  if (output != node)
    edges.emplace_back(node, output);
}

void GroupGraph::collectFlows(Operation *op, const RowAnalysis &rows) {
  bool isParameter = roles.getSpace(op).isParameter;
  llvm::SmallMapVector<Value, int64_t, 4> bytes;
  auto visit = [&](auto &&self, Value value, int64_t limit, bool whole) -> void {
    Operation *def = value.getDefiningOp();
    if (!def || roles.getRole(def) != RowRole::repeated) {
      bool moves = rows.isRow(value) || (isParameter && !whole);
      int64_t &sum = bytes[value];
      sum = std::min(storedBytes(value), sum + (moves ? std::min(limit, storedBytes(value)) : 0));
      return;
    }
    bool repeats = isa<seq::BroadcastOp>(def);
    int64_t inner = isa<seq::SliceOp>(def) ? std::min(limit, storedBytes(value)) : repeats ? INT64_MAX : limit;
    for (Value operand : def->getOperands())
      self(self, operand, inner, whole || repeats);
  };
  for (Value operand : op->getOperands())
    visit(visit, operand, INT64_MAX, false);
  SmallVector<RowFlow> &list = flows[op];
  for (auto [value, size] : bytes)
    list.push_back({value, size});
}

Operation *GroupGraph::findBetween(unsigned a, unsigned b) const {
  unsigned left = nodes.lookup(members[a]), right = nodes.lookup(members[b]);
  auto isWithin = [&](unsigned node) {
    Operation *op = nodeOps[node];
    return nodes.lookup(op) == node && (isIn(op, a) || isIn(op, b));
  };
  Operation *found = nullptr;
  for (auto [from, to] : {std::pair(left, right), std::pair(right, left)}) {
    if (!reaches[from].test(to))
      continue;
    llvm::BitVector between = reaches[from];
    between &= reachedFrom[to];
    for (unsigned node : between.set_bits()) {
      if (isWithin(node))
        continue;
      if (roles.getRole(nodeOps[node]) == RowRole::outside)
        return nodeOps[node];
      found = nodeOps[node];
    }
  }
  return found;
}

/// Adds to the sets of some nodes.
static void addToEach(MutableArrayRef<llvm::BitVector> sets, const llvm::BitVector &nodes, const llvm::BitVector &more) {
  SmallVector<unsigned> added(more.set_bits());
  const bool areFew = added.size() < sets.size() / 64; // fewer than a set has words
  for (unsigned node : nodes.set_bits())
    if (areFew)
      for (unsigned each : added)
        sets[node].set(each);
    else
      sets[node] |= more;
}

void GroupGraph::reachAlso(const llvm::BitVector &from, const llvm::BitVector &to) {
  addToEach(reaches, from, to);
  addToEach(reachedFrom, to, from);
}

void GroupGraph::merge(unsigned a, unsigned b) {
  if (b < a)
    std::swap(a, b);
  const unsigned left = nodes.lookup(membersOf[a].front()), right = nodes.lookup(membersOf[b].front());
  llvm::BitVector reached = reaches[left]; // all members of a group reach the same
  reached |= reaches[right];
  for (unsigned group : {a, b})
    for (Operation *op : membersOf[group])
      reached.set(nodes.lookup(op));
  // What reaches one member of a group reaches all of it and what is behind it.
  const llvm::BitVector toLeft = reachedFrom[left], toRight = reachedFrom[right];
  for (auto [group, node, here, there] : {std::tuple(a, left, &toLeft, &toRight), std::tuple(b, right, &toRight, &toLeft)}) {
    llvm::BitVector growing = *here, isNew = reached;
    growing.reset(*there);
    for (Operation *op : membersOf[group])
      growing.set(nodes.lookup(op));
    isNew.reset(reaches[node]);
    reachAlso(growing, isNew);
  }
  for (Operation *op : membersOf[b])
    groups[op] = a;
  llvm::append_range(membersOf[a], membersOf[b]);
  llvm::sort(membersOf[a], [&](Operation *l, Operation *r) { return order.lookup(l) < order.lookup(r); });
  membersOf[b].clear();
}

SmallVector<Operation *> GroupGraph::withRepeated(ArrayRef<Operation *> ops) const {
  llvm::SmallSetVector<Operation *, 16> all(ops.begin(), ops.end());
  for (unsigned i = 0; i < all.size(); ++i)
    for (Value operand : all[i]->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && roles.getRole(def) == RowRole::repeated)
        all.insert(def);
  SmallVector<Operation *> sorted(all.begin(), all.end());
  llvm::sort(sorted, [&](Operation *l, Operation *r) { return order.lookup(l) < order.lookup(r); });
  return sorted;
}
