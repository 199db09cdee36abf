//===- Places.h - where the tokens of an entry stand --------------------------===//
#pragma once

#include "passes/support/RowBuilder.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {

/// What operations of one function need to know of the places of tokens. An entry gets it as inputs behind its tokens;
/// the body of a scan asks its caller, and gets each value as one more invariant.
class Places final : public seq::Documents {
public:
  /// Of an entry whose first argument are the tokens. `room` is for how many documents of a batch it is told where
  /// they start; 0: it is not.
  Places(mlir::func::FuncOp entry, int64_t room);
  /// Of the body of a scan.
  Places(seq::ScanOp scan, Places &caller);

  mlir::func::FuncOp getFunction() { return function; }

  mlir::Value positions() override;
  /// The same as reals.
  mlir::Value realPositions(mlir::Type element);
  mlir::Value starts() override;
  /// `[batch, time]`: of training, a number of each token that no other one has, for its dropouts.
  mlir::Value dropoutKeys();
  /// The rows of a table at the positions; made once, in the entry.
  mlir::Value rowsOf(seq::TableOp table);

private:
  RowBuilder atStart(mlir::Location loc);
  mlir::Value get(mlir::Attribute key, llvm::function_ref<mlir::Value(Places &)> make);
  mlir::Value pass(mlir::Value ofCaller);
  mlir::Value insertInput(unsigned number, llvm::StringRef name, mlir::Type type);
  mlir::Value addInput(llvm::StringRef name, mlir::Type type);

  mlir::func::FuncOp function;
  seq::ScanOp scan;
  Places *caller = nullptr;
  int64_t room = 0;
  unsigned inputs = 0; ///< that an entry has got
  llvm::DenseMap<mlir::Attribute, mlir::Value> known;
  mlir::Value real;
};

/// Whether an entry reads batches of tokens: that of training, and that of evaluation.
bool readsBatches(mlir::func::FuncOp function);

/// Visits the operations of a function and of the bodies that it scans, each with the places of its function. A visited
/// operation may be replaced. Stops at the first failure.
llvm::LogicalResult forEachOperation(Places &places,
                                     llvm::function_ref<llvm::LogicalResult(mlir::Operation *, Places &)> visit);

} // namespace stretto::passes
