//===- Describe.h - how remarks name operations ---------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace stretto::passes {

/// What the source calls an operation, and its line: "rms_norm at line 5", "rms_norm at mlp.stretto:5" where the file
/// is not that of `near`, "the gradient of ..." where it belongs to one.
std::string describe(mlir::Operation *op, mlir::Location near);

/// The same, whether or not it belongs to a gradient.
std::string describeSource(mlir::Operation *op, mlir::Location near);

/// What the source calls operations, each name of a line once, in the order of the source: "6 rms_norm, 9 add mul,
/// mlp.stretto:5 linear".
std::string namesOf(llvm::ArrayRef<mlir::Operation *> ops, mlir::Location near);

/// The lines alone: "6, 9, mlp.stretto:5".
std::string linesOf(llvm::ArrayRef<mlir::Operation *> ops, mlir::Location near);

/// Where the source calls what a library computes.
class LibraryCalls {
public:
  explicit LibraryCalls(mlir::ModuleOp module);

  /// The operations of a kernel that stand for some of the source: no constants, and nothing that only moves what such
  /// a call reads or makes, as the slice of a merged matmul does. All of them where none would be left.
  llvm::SmallVector<mlir::Operation *> withoutTheirs(llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  void add(mlir::Location loc);
  bool has(mlir::Location loc) const;

  llvm::DenseSet<std::pair<mlir::Attribute, llvm::StringRef>> calls; // places and names
};

} // namespace stretto::passes
