//===- WeightPaths.h - which arguments of block functions are weights -----------===//
#pragma once

#include "ir/Seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace stretto {

/// Finds the arguments of functions that need not be passed one by one, because they are weights below one name at
/// every place that calls the function: in `attention(x, q.weight, k.weight)` called with `layers.{}.attention.q.weight`
/// and `layers.{}.attention.k.weight`, the *group* of the call is `layers.{}.attention`, and within the function the
/// weights have the *names* `q.weight` and `k.weight`. `{}` stands for the layer of the calling scan.
class WeightPaths {
public:
  explicit WeightPaths(mlir::ModuleOp module);

  /// The name of a weight below the group of its function; empty for any other value.
  std::string nameOf(mlir::Value value) const;
  /// Whether any argument of the function is found in a group.
  bool hasGroup(mlir::func::FuncOp function) const { return grouped.contains(function); }
  /// The group that a call or a scan hands on, below the group of the caller; empty for the caller's own.
  llvm::StringRef groupOf(mlir::Operation *site) const;

private:
  void addFunction(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> sites);
  std::optional<std::string> prefixAt(mlir::Operation *site, unsigned index, llvm::StringRef name) const;

  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseMap<mlir::Operation *, std::string> groups;
  llvm::DenseSet<mlir::Operation *> grouped;
};

/// The parameter that the value is read from by `seq.get_parameter`; null if it is none.
seq::ParameterOp parameterOf(mlir::Value value);

/// The name that the front end gave to a value in its location; empty if there is none.
llvm::StringRef hintOf(mlir::Location location);

} // namespace stretto
