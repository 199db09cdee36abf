//===- Dump.h - every step of the compiler as a file --------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace stretto::codegen {

/// Has each pass that changes the module leave it behind as `<folder>/<number>-<pass>.mlir`, the state at the start
/// as `00-start.mlir`, and writes `index.txt`: for each file what the pass is for and how the numbers of
/// operations changed, then for each file the passes, with their options, that go on from it. The folder is made where
/// it does not exist. `problem` becomes why something there cannot be written, now or as the passes run; it must
/// outlive them.
void dumpEveryPass(mlir::PassManager &passes, mlir::ModuleOp module, llvm::StringRef folder, std::string &problem);

} // namespace stretto::codegen
