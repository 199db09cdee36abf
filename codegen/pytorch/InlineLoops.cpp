//===- InlineLoops.cpp - loops of blocks as loops of the model ------------===//
#include "codegen/pytorch/InlineLoops.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

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

/// Calls of functions that loop and call none that does.
static SmallVector<func::CallOp> findCalls(ModuleOp module) {
  auto calleeOf = [&](func::CallOp call) { return module.lookupSymbol<func::FuncOp>(call.getCallee()); };
  auto loops = [](func::FuncOp function) {
    return !function.isExternal() && !function.getBody().front().getOps<seq::ScanOp>().empty();
  };
  auto isInnermost = [&](func::FuncOp function) {
    return llvm::none_of(function.getOps<func::CallOp>(), [&](func::CallOp call) { return loops(calleeOf(call)); });
  };
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) {
    if (func::FuncOp callee = calleeOf(call); loops(callee) && isInnermost(callee))
      calls.push_back(call);
  });
  return calls;
}

void stretto::codegen::inlineLoops(ModuleOp module) {
  llvm::SetVector<Operation *> inlined;
  // Who called one loops then. Functions that call themselves stay.
  for (SmallVector<func::CallOp> calls = findCalls(module); !calls.empty(); calls = findCalls(module))
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      inlineCall(call, callee);
      inlined.insert(callee);
    }
  for (Operation *function : inlined)
    function->erase();
}
