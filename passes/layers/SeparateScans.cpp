//===- SeparateScans.cpp - every scan has a body of its own ---------------------===//
#include "passes/layers/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SEPARATESCANS
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct SeparateScansPass : stretto::passes::impl::SeparateScansBase<SeparateScansPass> {
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
