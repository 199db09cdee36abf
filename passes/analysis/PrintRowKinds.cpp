//===- PrintRowKinds.cpp - shows what RowAnalysis knows -----------------------===//
#include "passes/analysis/Passes.h"
#include "passes/analysis/RowAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {
#define GEN_PASS_DEF_PRINTROWKINDS
#include "passes/analysis/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct PrintRowKinds : stretto::passes::impl::PrintRowKindsBase<PrintRowKinds> {
  using PrintRowKindsBase::PrintRowKindsBase;

  void runOnOperation() override {
    auto &rows = getAnalysis<RowAnalysis>();
    auto print = [&](Value value) {
      mlir::emitRemark(value.getLoc()) << value.getType() << " is " << stringifyRowKind(rows.getKind(value));
    };
    getOperation().walk([&](func::FuncOp function) {
      llvm::for_each(function.getArguments(), print);
      for (Block &block : function.getBody())
        for (Operation &op : block)
          llvm::for_each(op.getResults(), print);
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
