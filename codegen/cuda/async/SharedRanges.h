//===- SharedRanges.h - which parts of shared memory operations access --------------===//
//
// Kernels divide a variable in shared memory into arrays by constant offsets, and reach into an array by an address
// with a variable part. So where such an address counts from an array begins, and it ends where the next one does: that
// variable parts stay within their array is taken for granted here (the emulator finds where they do not).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

#include <set>

namespace stretto::codegen {

/// Bytes [begin, end) of a variable; without a variable: anywhere.
struct SharedRange {
  mlir::StringAttr variable;
  int64_t begin = 0, end = 0;

  bool meets(const SharedRange &other) const {
    return !variable || !other.variable || (variable == other.variable && begin < other.end && other.begin < end);
  }
};
using SharedRangeList = mlir::SmallVector<SharedRange, 1>;

bool anyMeet(const SharedRangeList &left, const SharedRangeList &right);

/// Of the operations of one function.
class SharedRanges {
public:
  explicit SharedRanges(mlir::LLVM::LLVMFuncOp function);

  /// Where the `bytes` may lie that are accessed through a pointer to shared memory, of this block or of others of its
  /// cluster (each has the same variables); or through a number that is made from such a pointer.
  SharedRangeList of(mlir::Value address, int64_t bytes) const;

private:
  llvm::DenseMap<mlir::StringAttr, std::set<int64_t>> arrays; // where they begin
};

/// Whether a value is a pointer to shared memory of the block or of its cluster.
bool isSharedPointer(mlir::Value value);

} // namespace stretto::codegen
