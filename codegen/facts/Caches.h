//===- Caches.h - what generation keeps from call to call --------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace stretto::codegen {

/// The caches of one operation of the source, all its layers and sequences together.
struct CacheSummary {
  std::string block;     // as BlockNames has it
  std::string operation; // what the source calls it: "linear_attention", "canon"
  int64_t layers = 1, bytes = 0;
};

/// The caches of a module in the order in which its decode entries read them; none where it has no such entries.
llvm::SmallVector<CacheSummary> summarizeCaches(mlir::ModuleOp module);

} // namespace stretto::codegen
