//===- WalkRoles.h - what the body of a walk makes of its operands --------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "llvm/ADT/DenseSet.h"

namespace stretto::test {

/// Roles of the tiles of a body, from the operations that read them.
class WalkRoles {
public:
  explicit WalkRoles(kern::WalkOp op);

  /// The exponential of sums of it over rows is taken: a logarithm of decay.
  bool isLogarithm(mlir::Value tile) const { return logarithms.contains(tile); }
  /// The matrix of a triangular system is made of it, in any way.
  bool isSolved(mlir::Value tile) const { return solved.contains(tile); }

private:
  void addLogarithms(mlir::Value exponent, bool isSum);
  void addSolved(mlir::Value part);

  llvm::DenseSet<mlir::Value> logarithms, solved;
};

} // namespace stretto::test
