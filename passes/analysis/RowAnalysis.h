//===- RowAnalysis.h - which values are rows of a batch -----------------------===//
#pragma once

#include "ir/seq/SeqInterfaces.h"

#include "mlir/IR/BuiltinOps.h"

namespace stretto::passes {

llvm::StringRef stringifyRowKind(RowKind kind);

/// Kinds of all values of the functions of a module, across calls and scans.
///
/// Starts from operations whose operands are rows, tables or parameters by definition (matmuls, attention,
/// embeddings, taps, column sums, tables, `seq.get_parameter`) and carries the kinds along operations that do
/// not change them, in both directions. What no such operation reaches: an operand of `seq.reduce` or
/// `seq.permute` is a row, as is anything of three or more dimensions; the rest is shared.
class RowAnalysis {
public:
  explicit RowAnalysis(mlir::ModuleOp module);

  RowKind getKind(mlir::Value value) const;
  bool isRow(mlir::Value value) const { return getKind(value) == RowKind::row; }

private:
  llvm::DenseMap<mlir::Value, RowKind> kinds;
};

} // namespace stretto::passes
