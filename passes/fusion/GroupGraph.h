//===- GroupGraph.h - groups of row operations and the paths between them -----===//
#pragma once

#include "passes/fusion/ContractedDag.h"
#include "passes/fusion/RowRoles.h"

#include <optional>

namespace stretto::passes {

/// A value that a member reads from another operation, perhaps through operations that are duplicated.
struct RowFlow {
  mlir::Value value;
  int64_t bytes; ///< of the columns read; 0 for what each row reads whole (parameters, tables)
  /// The same by what is read of it: slices, or the value itself. Members that read one slice read it once.
  llvm::SmallMapVector<mlir::Value, int64_t, 1> parts;
};

/// Bytes of the parts of a value, which may overlap.
int64_t bytesOfParts(mlir::Value value, const llvm::SmallMapVector<mlir::Value, int64_t, 1> &parts);

/// The operations of one function as a graph that is contracted group by group. Each member starts as a group
/// of its own; operations outside, and the finished column sums, are nodes that never merge.
class GroupGraph {
public:
  GroupGraph(mlir::func::FuncOp function, const RowRoles &roles, const RowAnalysis &rows);

  /// Members in program order.
  llvm::ArrayRef<mlir::Operation *> getMembers() const { return members; }
  const RowRoles &getRoles() const { return roles; }

  bool isMember(mlir::Operation *op) const { return groups.contains(op); }

  /// Number of the group of a member: the place of its first member in program order.
  unsigned getGroup(mlir::Operation *member) const { return groups.lookup(member); }
  bool isIn(mlir::Operation *op, unsigned group) const {
    auto it = groups.find(op);
    return it != groups.end() && it->second == group;
  }
  llvm::ArrayRef<mlir::Operation *> getMembersOf(unsigned group) const { return membersOf[group]; }

  /// What a member reads that it does not compute.
  llvm::ArrayRef<RowFlow> getFlows(mlir::Operation *member) const { return flows.find(member)->second; }

  /// Whether a path leads from one of the groups to the other through something else, so that merging them would
  /// make a cycle.
  bool isAnyBetween(unsigned a, unsigned b) const;

  /// An operation on such a path, preferably one that is no row operation; null where there is no path.
  mlir::Operation *findBetween(unsigned a, unsigned b) const;

  /// The groups that this one is computed from or that are computed from it, by number; itself included.
  llvm::BitVector getRelated(unsigned group) const;

  /// Merges groups that nothing is between.
  void merge(unsigned a, unsigned b);

  /// Merges the group of some column sums with an operation that alone reads them, and finishes them there.
  void mergeJoin(unsigned group, mlir::Operation *join);

  /// The members of `ops` and their duplicated producers, in program order.
  llvm::SmallVector<mlir::Operation *> withDuplicated(llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  void addNode(mlir::Operation *op);
  void addEdges(mlir::Operation *op);
  void collectFlows(mlir::Operation *op, const RowAnalysis &rows);
  unsigned getNode(unsigned group) const { return nodes.lookup(members[group]); }

  const RowRoles &roles;
  llvm::SmallVector<mlir::Operation *> members;
  llvm::DenseMap<mlir::Operation *, unsigned> groups; ///< of members
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> membersOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<RowFlow>> flows;

  llvm::DenseMap<mlir::Operation *, unsigned> order;   ///< place in the block
  llvm::DenseMap<mlir::Operation *, unsigned> nodes;   ///< node of an operation that is not duplicated
  llvm::DenseMap<mlir::Operation *, unsigned> outputs; ///< the node that stands for its results
  llvm::SmallVector<mlir::Operation *> nodeOps;
  llvm::SmallVector<ContractedDag::Edge> edges;
  std::optional<ContractedDag> paths; ///< over nodes
};

} // namespace stretto::passes
