//===- Timeline.h - when things happen in one run of an entry point -----------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto::codegen {

/// One stretch of time in which a function runs: once, or (a scan body) for the slots `first` to `last` in turn.
struct FunctionRun {
  int64_t begin, end;
  int64_t first = 0, last = 0;
  bool isSingle() const { return first == last; }
};

/// Numbers the operations of an entry function and of the scan bodies it calls in the order they run. A scan of the
/// entry takes a span of time [begin, end] in which its body runs for one slot, or for several where the number of the
/// slot is large: 21 runs stand for 96 iterations. A scan inside a body runs its own body once.
class Timeline {
public:
  explicit Timeline(mlir::func::FuncOp entry);
  /// The entry and the bodies, each once, callers first.
  llvm::ArrayRef<mlir::func::FuncOp> functions() const & { return order; }
  llvm::ArrayRef<mlir::func::FuncOp> functions() && = delete;
  /// The scan that calls a body; null for the entry.
  seq::ScanOp caller(mlir::func::FuncOp function) const { return callers.lookup(function); }

  /// The runs of a function in the order of time.
  llvm::ArrayRef<FunctionRun> runs(mlir::func::FuncOp function) const { return runsOf.find(function)->second; }
  /// When an operation starts, and when it ends: for all but scans at the same time.
  int64_t begin(mlir::Operation *op, const FunctionRun &run) const { return run.begin + times.lookup(op); }
  int64_t end(mlir::Operation *op, const FunctionRun &run) const { return begin(op, run) + lengths.lookup(op); }
  /// The end of the last run of the entry.
  int64_t end() const { return runs(order.front()).back().end; }

private:
  int64_t number(mlir::func::FuncOp function, bool isEntry);
  void place(mlir::func::FuncOp function, llvm::ArrayRef<FunctionRun> places);

  llvm::DenseMap<mlir::Operation *, int64_t> times, lengths; // relative to the start of the function
  llvm::DenseMap<mlir::Operation *, int64_t> durations;      // of one run of a function
  llvm::DenseMap<mlir::Operation *, seq::ScanOp> callers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FunctionRun>> runsOf;
  llvm::SmallVector<mlir::func::FuncOp> order;
};

} // namespace stretto::codegen
