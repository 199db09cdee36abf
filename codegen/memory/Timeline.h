//===- Timeline.h - when things happen in one run of an entry point -----------===//
#pragma once

#include "ir/Seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto {

/// The function a scan calls.
mlir::func::FuncOp bodyOf(seq::ScanOp scan);

/// Numbers the operations of an entry function and of the scan bodies it calls in the order they run. A scan takes
/// the span [begin, end]; the operations of its body lie strictly inside, as for a single iteration.
class Timeline {
public:
  explicit Timeline(mlir::func::FuncOp entry);
  int64_t at(mlir::Operation *op) const { return times.lookup(op); }
  int64_t begin(seq::ScanOp scan) const { return times.lookup(scan); }
  int64_t end(seq::ScanOp scan) const { return ends.lookup(scan); }
  /// The entry and the bodies, each once, callers first.
  llvm::ArrayRef<mlir::func::FuncOp> functions() const { return order; }
  /// The scan that calls a body; null for the entry.
  seq::ScanOp caller(mlir::func::FuncOp function) const { return callers.lookup(function); }

private:
  void number(mlir::func::FuncOp function);
  llvm::DenseMap<mlir::Operation *, int64_t> times, ends;
  llvm::DenseMap<mlir::Operation *, seq::ScanOp> callers;
  llvm::SmallVector<mlir::func::FuncOp> order;
  int64_t now = 0;
};

} // namespace stretto
