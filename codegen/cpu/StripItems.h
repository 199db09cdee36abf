//===- StripItems.h - chunks of rows and strips of columns ---------------------===//
//
// The units of a kernel's parallel work: all strips of a chunk follow each other, so that its rows stay in the cache.
#pragma once

#include "codegen/rows/StripPlans.h"
#include "codegen/rows/VectorBuilder.h"

namespace stretto::codegen {

/// A chunk, rows `first` to `last` of a sequence, and a strip.
struct StripItem {
  mlir::Value chunk, strip, sequence, first, last;
};

/// Item `number`, where sequences of `time` rows are cut into chunks of `chunkRows`, and columns into `strips`.
StripItem stripItem(VectorBuilder &b, mlir::Value number, int64_t strips, int64_t chunkRows, int64_t time);

/// Emits code that runs, of all runs of strips, that of one strip: `emit` is called with the number of each.
void emitRunOf(VectorBuilder &b, const StripPlans &plans, mlir::Value strip, llvm::function_ref<void(size_t)> emit);

} // namespace stretto::codegen
