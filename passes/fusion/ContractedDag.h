//===- ContractedDag.h - an acyclic graph whose nodes merge, and its paths ----===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace stretto::passes {

/// An acyclic graph in which nodes are merged as long as no cycle arises. It is kept in topological order (after
/// D. J. Pearce and P. H. J. Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs", 2007), so
/// paths are looked for between the places of their ends alone, and from both ends at once.
class ContractedDag {
public:
  using Edge = std::pair<unsigned, unsigned>;

  /// Nodes are numbered topologically: an edge leads to a greater number.
  ContractedDag(unsigned numNodes, llvm::ArrayRef<Edge> edges);

  /// A node on a path from one of two nodes to the other through it, where there is one: a preferred one if any is on
  /// such a path. Of merged nodes, the one that stands for them.
  std::optional<unsigned> findBetween(unsigned a, unsigned b, llvm::function_ref<bool(unsigned)> isPreferred) const;
  bool isAnyBetween(unsigned a, unsigned b) const {
    return findBetween(a, b, [](unsigned) { return true; }).has_value();
  }

  /// What a node can be reached from and what it reaches, itself included, by the nodes that stand for them.
  llvm::BitVector getRelated(unsigned node) const;

  /// The node that stands for all that a node has merged with.
  unsigned getLeader(unsigned node) const;

  /// Makes one node of two that nothing is between.
  void merge(unsigned a, unsigned b);

private:
  enum Side { before, behind };

  /// A search from one end to the other, breadth first.
  struct Search {
    Side side;
    unsigned start, end;
    llvm::SmallVector<unsigned> met; ///< in the order in which they were met
    size_t numExpanded = 0, numEdges = 0;
    bool isDone() const { return numExpanded == met.size(); }
  };
  using Visitor = llvm::function_ref<void(unsigned)>;

  /// The leaders of two nodes, the earlier one first.
  Edge sorted(unsigned a, unsigned b) const;
  /// A search that has met the neighbours of its end.
  Search startSearch(Side side, unsigned start, unsigned end, Visitor visit) const;
  /// Meets the neighbours of one more node.
  void expand(Search &search, Visitor visit) const;
  /// Meets those neighbours of a node that lie between the ends and were not met.
  void meetNeighbours(Search &search, unsigned node, Visitor visit) const;

  void unlink(unsigned node);
  /// Puts nodes behind a node, in their order.
  void moveBehind(unsigned place, llvm::ArrayRef<unsigned> nodes);
  void spreadLabels();

  const unsigned numNodes;
  mutable llvm::SmallVector<unsigned> parent;                ///< towards the leader
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> next[2]; ///< neighbours, by side
  llvm::SmallVector<unsigned> linked[2];                     ///< neighbours in topological order, by side
  llvm::SmallVector<uint64_t> label;                         ///< rises in topological order
  mutable llvm::SmallVector<unsigned> seen[2];               ///< the last search that met a node, by side
  mutable llvm::SmallVector<unsigned> from[2];               ///< where that search came from
  mutable unsigned time = 0;
};

} // namespace stretto::passes
