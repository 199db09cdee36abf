//===- ControlFlow.cpp - loops and branches of device code ----------------------===//
#include "codegen/cuda/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// What a loop leaves; of numbers that begin and go on alike, as rows in registers may, the first stands for the
/// others, which nothing reads.
static Values shareAlike(scf::ForOp loop) {
  Values results(loop.getResults());
  for (bool changes = true; changes;) {
    changes = false;
    llvm::DenseMap<std::pair<Value, Value>, unsigned> first;
    for (auto [i, begin, next] : llvm::enumerate(loop.getInitArgs(), loop.getYieldedValues())) {
      unsigned alike = first.try_emplace({begin, next}, i).first->second;
      results[i] = loop.getResult(alike);
      if (alike == i || loop.getRegionIterArg(i).use_empty())
        continue;
      loop.getRegionIterArg(i).replaceAllUsesWith(loop.getRegionIterArg(alike));
      changes = true;
    }
  }
  return results;
}

static scf::ForOp makeFor(CudaBuilder &b, Value begin, Value end, int64_t step, ValueRange carried,
                          llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, begin, end, b.index(step), carried);
  if (carried.empty()) // the end that the loop has been given
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(loop);
  return loop;
}

Values stretto::codegen::forEach(CudaBuilder &b, Value begin, Value end, int64_t step, ValueRange carried,
                                 llvm::function_ref<Values(Value, ValueRange)> body) {
  return shareAlike(makeFor(b, begin, end, step, carried, body));
}

/// The attribute of a branch of LLVM's dialect that says so; passes hand it on from the loop.
static void forbidUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto rolled = LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", rolled);
}

Values stretto::codegen::forEachRolled(CudaBuilder &b, Value begin, Value end, int64_t step, ValueRange carried,
                                       llvm::function_ref<Values(Value, ValueRange)> body) {
  scf::ForOp loop = makeFor(b, begin, end, step, carried, body);
  forbidUnrolling(loop);
  return shareAlike(loop);
}

/// A loop whose first region is filled by `before` and whose second by `after`; both end themselves.
static scf::WhileOp makeWhile(CudaBuilder &b, TypeRange results, ValueRange carried,
                              llvm::function_ref<void(ValueRange)> before, llvm::function_ref<void(ValueRange)> after) {
  auto loop = scf::WhileOp::create(b, results, carried);
  auto addBlock = [&](Region &region, TypeRange types, llvm::function_ref<void(ValueRange)> fill) {
    SmallVector<Location> locations(types.size(), b.getLoc());
    Block *block = b.createBlock(&region, {}, types, locations);
    fill(block->getArguments());
  };
  addBlock(loop.getBefore(), carried.getTypes(), before);
  addBlock(loop.getAfter(), results, after);
  b.setInsertionPointAfter(loop);
  return loop;
}

Values stretto::codegen::whileHolds(CudaBuilder &b, ValueRange carried, llvm::function_ref<Value(ValueRange)> condition,
                                    llvm::function_ref<Values(ValueRange)> body) {
  auto loop = makeWhile(
      b, carried.getTypes(), carried, [&](ValueRange now) { scf::ConditionOp::create(b, condition(now), now); },
      [&](ValueRange now) { scf::YieldOp::create(b, body(now)); });
  return Values(loop.getResults());
}

void stretto::codegen::repeatWhile(CudaBuilder &b, ValueRange carried, llvm::function_ref<Values(ValueRange)> body) {
  makeWhile(
      b, carried.getTypes(), carried,
      [&](ValueRange now) {
        Values next = body(now);
        Value condition = next.pop_back_val();
        scf::ConditionOp::create(b, condition, next);
      },
      [&](ValueRange now) { scf::YieldOp::create(b, now); });
}

Values stretto::codegen::branch(CudaBuilder &b, Value condition, ValueRange otherwise,
                                llvm::function_ref<Values()> body) {
  auto op = scf::IfOp::create(b, otherwise.getTypes(), condition, /*withElseRegion=*/true);
  b.setInsertionPointToEnd(op.thenBlock());
  scf::YieldOp::create(b, body());
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, otherwise);
  b.setInsertionPointAfter(op);
  return Values(op.getResults());
}

void stretto::codegen::branch(CudaBuilder &b, Value condition, llvm::function_ref<void()> body,
                              llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  b.setInsertionPointToStart(op.thenBlock());
  body();
  b.setInsertionPointToStart(op.elseBlock());
  otherwise();
  b.setInsertionPointAfter(op);
}
