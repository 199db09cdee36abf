//===- RowRoles.h - what fusion may do with an operation ----------------------===//
#pragma once

#include "passes/analysis/RowAnalysis.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace stretto::passes {

enum class RowRole {
  member,     ///< computed in exactly one kernel
  duplicated, ///< computed in each kernel that reads it; a constant or view also serves readers that are no kernels
  outside     ///< no row operation: a matmul, a scan, a parameter, ...
};

/// The rows a kernel runs over: batch and time, or the leading dimensions of a parameter.
struct RowSpace {
  bool isParameter = false;
  llvm::SmallVector<int64_t, 2> leading;

  bool operator==(const RowSpace &) const = default;
  int64_t getRows() const;
};

/// Whether an operation tells the columns of a value apart, so that it has no form where each of them is a row.
bool countsColumns(mlir::Operation *op);

/// Roles of the operations of one function.
class RowRoles {
public:
  RowRoles(mlir::func::FuncOp function, const RowAnalysis &rows);

  RowRole getRole(mlir::Operation *op) const { return roles.lookup_or(op, RowRole::outside); }
  /// The rows that a member runs over.
  RowSpace getSpace(mlir::Operation *member) const;
  /// Whether a member only puts column sums of equally shaped rows side by side. The kernel that makes the sums
  /// may do that as well.
  bool isJoinOfSums(mlir::Operation *member) const;
  /// What reads one of `values`, perhaps through operations that are duplicated; those themselves are not among them.
  llvm::SmallSetVector<mlir::Operation *, 8> findReaders(mlir::ValueRange values) const;
  /// Whether an operation other than those in `inside`, and their duplicated producers, reads `value`.
  bool isReadElsewhere(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> inside) const;

  /// Gives the copy of an operation, which only kernels read, its role and returns it. What only moves rows and is a
  /// member for the sake of a reader that is no kernel is duplicated as a copy.
  RowRole addCopy(mlir::Operation *copy, mlir::Operation *original);

private:
  RowRole findRole(mlir::Operation *op) const;
  bool isReadOutside(mlir::Operation *op) const;
  bool movesBetweenRows(mlir::Operation *reshape) const;
  bool isOfParameterRows(mlir::Operation *op) const;
  bool isReadByParameterRow(mlir::Value value) const;
  bool areColumnsRows(mlir::Value value) const;

  const RowAnalysis &rows;
  llvm::DenseMap<mlir::Operation *, RowRole> roles;
  llvm::DenseSet<mlir::Operation *> ofParameterRows; ///< duplicated operations that a kernel of parameter rows reads
  llvm::DenseSet<mlir::Operation *> withRowColumns;  ///< those of whose columns each is a row there
};

} // namespace stretto::passes
