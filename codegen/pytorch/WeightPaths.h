//===- WeightPaths.h - which arguments of block functions are weights -----------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace stretto::codegen {

/// Finds the arguments of functions that need not be passed one by one, because they are weights below one name at
/// every place that calls the function: in `attention(x, q.weight, k.weight)` called with
/// `layers.{}.attention.q.weight` and `layers.{}.attention.k.weight`, the *group* of the call is `layers.{}.attention`,
/// and within the function the weights have the *names* `q.weight` and `k.weight`. `{}` stands for the layer of the
/// calling scan. The body of a scan over a pattern of layers has one group for each layer of the pattern.
class WeightPaths {
public:
  /// A weight: its name below one of the groups of its function. @main has one group, which is everything.
  struct Name {
    unsigned group = 0;
    std::string path;
  };

  /// What a call hands on as a group.
  struct Source {
    unsigned group = 0;   // of the caller
    std::string prefix;   // below it; empty: the group itself
    seq::ParameterOp one; // any of the stacked parameters; null where the prefix has no `{}`

    bool operator==(const Source &other) const;
  };

  explicit WeightPaths(mlir::ModuleOp module);

  /// The name of a weight; nothing for any other value.
  std::optional<Name> nameOf(mlir::Value value) const;
  /// How many groups a function takes.
  unsigned countGroups(mlir::func::FuncOp function) const { return counts.lookup(function); }
  /// What a call or a scan hands on, group by group.
  llvm::ArrayRef<Source> groupsOf(mlir::Operation *site) const;

private:
  using Sources = llvm::SmallVector<Source>;

  void addFunction(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> sites);
  std::optional<Source> sourceAt(mlir::Operation *site, unsigned index, llvm::StringRef name) const;

  llvm::DenseMap<mlir::Value, Name> names;
  llvm::DenseMap<mlir::Operation *, Sources> groups;  // by site
  llvm::DenseMap<mlir::Operation *, unsigned> counts; // by function
};

/// The parameter that the value is read from by `seq.get_parameter`; null if it is none.
seq::ParameterOp parameterOf(mlir::Value value);

/// The name that the front end gave to a value in its location; empty if there is none.
llvm::StringRef hintOf(mlir::Location location);

} // namespace stretto::codegen
