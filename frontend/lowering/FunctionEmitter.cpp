// Emits the operations of one function.
#include "frontend/lowering/FunctionEmitter.h"

#include "frontend/lowering/Lowering.h"

#include "ir/seq/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

void FunctionEmitter::emit() {
  for (const Op &op : function.ops)
    emit(op);
  llvm::SmallVector<Value> results;
  for (ValueId result : function.results)
    results.push_back(values[result]);
  func::ReturnOp::create(builder, translator.location(function.range), results);
}

/// Emits one operation; what it becomes has its marks.
void FunctionEmitter::emit(const Op &op) {
  OpToLower at{op, program, {}, {}, builder, translator.location(op, function)};
  for (ValueId id : op.operands)
    at.operands.push_back(values[id]);
  for (ValueId id : op.results)
    at.types.push_back(translator.type(function.values[id].type));
  Block *block = builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  Lowered results = lower(at);
  for (auto [id, value] : llvm::zip_equal(op.results, results))
    values[id] = value;
  for (Operation &each : llvm::make_range(last ? std::next(last->getIterator()) : block->begin(), block->end())) {
    if (op.recompute)
      each.setAttr(kRecomputeAttr, builder.getUnitAttr());
    if (op.noFuse)
      each.setAttr(kNoFuseAttr, builder.getUnitAttr());
  }
}
