//===- ContractedDag.cpp - an acyclic graph whose nodes merge, and its paths --===//
#include "passes/fusion/ContractedDag.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace stretto;
using namespace stretto::passes;
using llvm::ArrayRef, llvm::BitVector, llvm::SmallVector;

/// Between the labels of two neighbours that were spread: room for halving it many times.
static constexpr uint64_t kGap = uint64_t(1) << 32;

// The list of the topological order is closed by a node of its own, number `numNodes`, which is before and behind all.
ContractedDag::ContractedDag(unsigned numNodes, ArrayRef<Edge> edges) : numNodes(numNodes) {
  for (Side side : {before, behind}) {
    next[side].resize(numNodes);
    linked[side].resize(numNodes + 1);
    seen[side].assign(numNodes, 0);
    from[side].resize(numNodes);
  }
  for (unsigned i = 0; i <= numNodes; ++i) {
    parent.push_back(i);
    linked[behind][i] = (i + 1) % (numNodes + 1);
    linked[before][(i + 1) % (numNodes + 1)] = i;
  }
  label.resize(numNodes + 1);
  spreadLabels();
  for (auto [from, to] : edges) {
    assert(from < to && "edges lead to greater numbers");
    next[behind][from].push_back(to);
    next[before][to].push_back(from);
  }
}

unsigned ContractedDag::getLeader(unsigned node) const {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

ContractedDag::Edge ContractedDag::sorted(unsigned a, unsigned b) const {
  a = getLeader(a), b = getLeader(b);
  return label[a] < label[b] ? Edge(a, b) : Edge(b, a);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

void ContractedDag::meetNeighbours(Search &search, unsigned node, Visitor visit) const {
  search.numEdges += next[search.side][node].size();
  for (unsigned neighbour : next[search.side][node]) {
    const unsigned each = getLeader(neighbour);
    const bool isWithin = search.side == behind ? label[each] < label[search.end] : label[each] > label[search.end];
    if (!isWithin || std::exchange(seen[search.side][each], time) == time)
      continue;
    from[search.side][each] = node;
    search.met.push_back(each);
    visit(each);
  }
}

void ContractedDag::expand(Search &search, Visitor visit) const {
  meetNeighbours(search, search.met[search.numExpanded++], visit);
}

ContractedDag::Search ContractedDag::startSearch(Side side, unsigned start, unsigned end, Visitor visit) const {
  Search search{side, start, end, {}};
  seen[side][start] = time;
  meetNeighbours(search, start, visit);
  return search;
}

std::optional<unsigned> ContractedDag::findBetween(unsigned a, unsigned b,
                                                   llvm::function_ref<bool(unsigned)> isPreferred) const {
  const auto [first, last] = sorted(a, b);
  std::optional<unsigned> found;
  bool isFinal = false;
  // Looks through the path that two searches have made together when the second one meets `node`.
  auto lookThrough = [&](unsigned node) {
    if (isFinal || seen[before][node] != time || seen[behind][node] != time)
      return;
    for (Side side : {before, behind})
      for (unsigned each = node; !isFinal && each != (side == behind ? first : last); each = from[side][each])
        found = each, isFinal = isPreferred(each);
  };
  ++time;
  Search up = startSearch(behind, first, last, lookThrough), down = startSearch(before, last, first, lookThrough);
  while (!isFinal && (found ? !up.isDone() || !down.isDone() : !up.isDone() && !down.isDone()))
    expand(down.isDone() || (!up.isDone() && up.numEdges <= down.numEdges) ? up : down, lookThrough);
  return found;
}

BitVector ContractedDag::getRelated(unsigned node) const {
  BitVector related(numNodes);
  for (Side side : {before, behind}) {
    SmallVector<unsigned> met{getLeader(node)};
    ++time;
    for (size_t i = 0; i < met.size(); ++i) {
      related.set(met[i]);
      for (unsigned each : next[side][met[i]])
        if (unsigned leader = getLeader(each); std::exchange(seen[side][leader], time) != time)
          met.push_back(leader);
    }
  }
  return related;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// The merged node takes the place of the one whose search ended without the other: what that search met
/// goes to the far side of it, which nothing else stands against.
void ContractedDag::merge(unsigned a, unsigned b) {
  auto [first, last] = sorted(a, b);
  assert(first != last && !isAnyBetween(first, last) && "merging makes a cycle");
  ++time;
  const auto ignore = [](unsigned) {};
  Search up = startSearch(behind, first, last, ignore), down = startSearch(before, last, first, ignore);
  while (!up.isDone() && !down.isDone())
    expand(up.numEdges <= down.numEdges ? up : down, ignore);
  const bool isUp = up.isDone();
  SmallVector<unsigned> moving = isUp ? up.met : down.met;
  llvm::sort(moving, [&](unsigned l, unsigned r) { return label[l] < label[r]; });

  const unsigned rest = isUp ? last : first, gone = isUp ? first : last;
  unlink(gone);
  for (unsigned node : moving)
    unlink(node);
  moveBehind(isUp ? rest : linked[before][rest], moving);
  parent[gone] = rest;
  for (Side side : {before, behind}) {
    if (next[side][rest].size() < next[side][gone].size())
      std::swap(next[side][rest], next[side][gone]);
    llvm::append_range(next[side][rest], next[side][gone]);
    next[side][gone].clear();
  }
}

void ContractedDag::unlink(unsigned node) {
  linked[behind][linked[before][node]] = linked[behind][node];
  linked[before][linked[behind][node]] = linked[before][node];
}

void ContractedDag::moveBehind(unsigned place, ArrayRef<unsigned> nodes) {
  const unsigned following = linked[behind][place];
  uint64_t low = place == numNodes ? 0 : label[place];
  const uint64_t step = (label[following] - low) / (nodes.size() + 1);
  for (unsigned node : nodes) {
    linked[behind][place] = node;
    linked[before][node] = place;
    label[node] = low += step;
    place = node;
  }
  linked[behind][place] = following;
  linked[before][following] = place;
  if (step == 0)
    spreadLabels();
}

void ContractedDag::spreadLabels() {
  uint64_t last = 0;
  for (unsigned node = linked[behind][numNodes]; node != numNodes; node = linked[behind][node])
    label[node] = last += kGap;
  label[numNodes] = last + kGap;
}
