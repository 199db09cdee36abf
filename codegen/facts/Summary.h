//===- Summary.h - what a planned program holds and does ----------------------===//
#pragma once

#include "codegen/facts/Caches.h"

#include "ir/seq/LossTerms.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace stretto::codegen {

/// What one block of the spec costs in a gradient step, all its layers together.
struct BlockSummary {
  int64_t parameters = 0, layers = 1;
  double flopsForward = 0, flopsBackward = 0;
  int64_t bytes = 0; // moved between memory and operations

  BlockSummary &operator+=(const BlockSummary &other);
};

struct Summary {
  llvm::SmallVector<std::pair<std::string, BlockSummary>> blocks; // in the order of first mention
  BlockSummary total;
  int64_t trainable = 0;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> arenas; // names and bytes
  int64_t planned = 0;                                           // all arenas but ACCUMULATOR
  llvm::SmallVector<CacheSummary> caches;                        // what is in the arena CACHE
  bool masksDocuments = false;                                   // the work of attention is then the most there can be
  bool lacksPlaces = false; // operations lack their place in the spec, which tells their block
  LossTerms loss;

  BlockSummary &block(llvm::StringRef name);
};

/// Summarises a module whose memory is planned.
Summary summarize(mlir::ModuleOp module);

/// As a JSON object, with the planned values (`buffers`): function, operation, source, arena, offset, bytes and, in
/// scan bodies, the stride per iteration.
std::string summaryJson(mlir::ModuleOp module);

} // namespace stretto::codegen
