//===- LiveBytes.h - bytes of a block that are live at once ---------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto::codegen {

/// Bytes of what a block computes that are live at each of its operations, in the order that they have: from where a
/// value is computed to where it, or a view of it, is last read. Arguments belong to the caller and are not counted,
/// and neither is what the body of a scan computes.
class LiveBytes {
public:
  explicit LiveBytes(mlir::Block &block);

  int64_t peak() const;
  /// The peak if values of the block are live until `end`, too.
  int64_t peakWith(mlir::ValueRange values, mlir::Operation *end) const;
  /// Has values of the block be live until `end`, too.
  void extend(mlir::ValueRange values, mlir::Operation *end);

private:
  int64_t lastUse(mlir::Value value) const;
  /// Adds the bytes of a value behind its last use to each operation until `end`.
  void addBehind(mlir::Value value, mlir::Operation *end, llvm::SmallVectorImpl<int64_t> &to) const;

  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseMap<mlir::Value, int64_t> extendedTo; // of what is live longer than it is read
  llvm::SmallVector<int64_t> bytes;                // at each operation
};

} // namespace stretto::codegen
