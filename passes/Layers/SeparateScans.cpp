//===- SeparateScans.cpp - every scan has a body of its own ---------------------===//
#include "passes/Layers/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace stretto {
#define GEN_PASS_DEF_SEPARATESCANS
#include "passes/Layers/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
struct SeparateScansPass : stretto::impl::SeparateScansBase<SeparateScansPass> {
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    llvm::DenseSet<Operation *> taken;
    getOperation().walk([&](seq::ScanOp scan) {
      auto body = symbols.lookup<func::FuncOp>(scan.getBody());
      if (taken.insert(body).second)
        return;
      auto copy = body.clone();
      scan.setBody(symbols.insert(copy, std::next(body->getIterator())));
    });
  }
};
} // namespace
