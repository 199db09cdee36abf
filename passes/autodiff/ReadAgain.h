//===- ReadAgain.h - what recomputation reads once more --------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace stretto::passes {

/// Whether an operation of the backward repeats one of the forward, so far.
bool isCopy(mlir::Operation *op);

/// Operations that work on memory as a whole: neither row operations nor sums of their columns.
bool isLibrary(mlir::Operation *op);

/// The library operations that read a value, also in another shape.
llvm::SmallVector<mlir::Operation *> libraryReaders(mlir::Value value);
inline bool isReadByLibrary(mlir::Value value) { return !libraryReaders(value).empty(); }

/// Which values, recomputed for a library operation of the backward, must be read once more behind it: row
/// operations that wait for the library operation read what the value is computed from, so that no kernel does both.
class ReadAgain {
public:
  bool contains(mlir::Value copy);

private:
  using Values = llvm::DenseSet<mlir::Value>;

  const Values &sourcesOf(mlir::Value value);
  const Values &readBehind(mlir::Operation *library);

  llvm::DenseMap<mlir::Value, Values> sources;
  llvm::DenseMap<mlir::Operation *, Values> behind;
};

} // namespace stretto::passes
