//===- FunctionPrinter.h - one function of a model as Python --------------------===//
#pragma once

#include "codegen/pytorch/PythonText.h"
#include "codegen/pytorch/WeightPaths.h"

namespace stretto::codegen {

/// What the functions of one module share.
struct PythonNames {
  llvm::DenseMap<mlir::Operation *, std::string> functions;
  llvm::StringSet<> reserved; // no variable may be called so
  bool isMasked = false;      // whether documents do not see each other
  bool hasTargets = false;    // whether every function takes the next tokens
  bool hasDropout = false;    // whether every function takes keys of tokens
  bool hasPositions = false;  // whether every function takes the places of tokens, where masked in their documents
};

/// Prints the statements of a function. A value becomes a variable called as its location says; a value without a
/// name that is used once is written where it is used. A name is taken again once its last holder is not read any
/// more, as people write it (`h = rms_norm(x, ...)`, `h = canon(h, ...)`).
class FunctionPrinter {
public:
  /// `isEntry`: the function is the body of `forward`, its weights are those of `self`.
  FunctionPrinter(mlir::func::FuncOp function, const WeightPaths &weights, const PythonNames &names, bool isEntry);

  /// "x, w": the formal parameters.
  std::string formals();
  /// Prints the body, each line with `indent` spaces before it.
  llvm::LogicalResult print(llvm::raw_ostream &os, int indent);

private:
  using Expression = python::Expression;

  void findLastUses();
  bool isInlined(mlir::Operation *op) const;
  int64_t readUntil(mlir::Value value) const;
  std::string takeName(mlir::Value value, llvm::StringRef hint, llvm::function_ref<bool(mlir::Value)> mayReplace);

  llvm::FailureOr<Expression> expression(mlir::Operation *op);
  llvm::FailureOr<Expression> readParameter(mlir::Operation *op);
  llvm::FailureOr<Expression> elementwise(mlir::Operation *op);
  llvm::FailureOr<Expression> layer(mlir::Operation *op);
  llvm::FailureOr<Expression> broadcast(mlir::Operation *op);
  llvm::FailureOr<Expression> extreme(mlir::Operation *op, llvm::StringRef helper);
  llvm::FailureOr<Expression> formOf(seq::LinearOp op);
  llvm::FailureOr<Expression> formOf(seq::ReshapeOp op);
  llvm::FailureOr<Expression> formOf(seq::SliceOp op);
  llvm::FailureOr<Expression> formOf(seq::SumOp op);
  llvm::FailureOr<Expression> formOf(seq::SoftmaxOp op);
  llvm::FailureOr<Expression> formOf(seq::KeepTopOp op);
  llvm::FailureOr<Expression> formOf(seq::FullOp op);
  llvm::FailureOr<Expression> formOf(seq::BatchMeanOp op);
  llvm::FailureOr<Expression> formOf(seq::SpreadOp op);
  llvm::FailureOr<Expression> formOf(seq::LayerNormOp op);
  llvm::FailureOr<Expression> formOf(seq::ColumnIndexOp op);
  llvm::FailureOr<Expression> formOf(seq::LayerNumbersOp op);
  llvm::FailureOr<Expression> formOf(seq::AttentionOp op);
  llvm::FailureOr<Expression> formOf(seq::MixerOp op);
  llvm::FailureOr<Expression> formOf(seq::LibraryOp op);
  std::string list(mlir::ValueRange operands) const;
  std::string namedOperands(seq::LibraryOp op) const;
  std::string positionsOption() const;

  llvm::LogicalResult printOperation(mlir::Operation *op);
  llvm::LogicalResult printScan(seq::ScanOp scan);
  /// Prints what gives the carried values of a loop their first ones; returns their variables.
  llvm::SmallVector<std::string> startCarry(seq::ScanOp scan);
  void assign(mlir::Operation *op, const std::string &text);
  /// `layerOf`: the text of the number of the layer that a scan has in a parameter.
  std::string call(mlir::Operation *site, llvm::ArrayRef<std::string> arguments,
                   llvm::function_ref<std::string(seq::ParameterOp)> layerOf);
  std::string groupName(unsigned group) const;
  std::string someTensor();
  std::string someRows(mlir::Type type);
  std::string text(mlir::Value value) const { return values.lookup(value).text; }
  llvm::raw_ostream &line() { return os->indent(indent); }

  mlir::func::FuncOp function;
  const WeightPaths &weights;
  const PythonNames &names;
  bool isEntry;
  llvm::raw_ostream *os = nullptr;
  int indent = 0;
  llvm::DenseMap<mlir::Value, Expression> values;
  int64_t now = -1;                                     // number of the operation that is being printed
  llvm::DenseMap<mlir::Operation *, int64_t> emittedAt; // in whose statement an operation is written, at the latest
  llvm::StringMap<mlir::Value> holders;                 // which value a variable holds
};

} // namespace stretto::codegen
