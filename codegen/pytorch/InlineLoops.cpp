//===- InlineLoops.cpp - loops of blocks as loops of the model ------------===//
#include "codegen/pytorch/InlineLoops.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace stretto;

static void inlineCall(func::CallOp call, func::FuncOp callee) {
  Block &body = callee.getBody().front();
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, returned] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(returned));
  call.erase();
}

void stretto::codegen::inlineLoops(ModuleOp module) {
  auto loops = [](func::FuncOp function) {
    return !function.isExternal() && !function.getBody().front().getOps<seq::ScanOp>().empty();
  };
  SmallVector<func::CallOp> calls;
  auto findCalls = [&] {
    calls.clear();
    module.walk([&](func::CallOp call) {
      if (loops(module.lookupSymbol<func::FuncOp>(call.getCallee())))
        calls.push_back(call);
    });
    return !calls.empty();
  };
  SmallVector<func::FuncOp> inlined;
  while (findCalls()) // who called one loops now
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      inlineCall(call, callee);
      if (!llvm::is_contained(inlined, callee))
        inlined.push_back(callee);
    }
  for (func::FuncOp function : inlined)
    function.erase();
}
