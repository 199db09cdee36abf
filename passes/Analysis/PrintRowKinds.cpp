//===- PrintRowKinds.cpp - shows what RowAnalysis knows -----------------------===//
#include "passes/Analysis/Passes.h"
#include "passes/Analysis/RowAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto {
#define GEN_PASS_DEF_PRINTROWKINDS
#include "passes/Analysis/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
struct PrintRowKinds : stretto::impl::PrintRowKindsBase<PrintRowKinds> {
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
