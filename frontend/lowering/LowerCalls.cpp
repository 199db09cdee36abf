// Lowers calls and loops.
#include "frontend/lowering/Lowering.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

static Lowered call(const OpToLower &at) {
  auto call = at.make<func::CallOp>(at.program.functions[*at.op.callee].name, at.types, at.operands);
  return Lowered(call.getResults());
}

static Lowered scan(const OpToLower &at) {
  const Function &body = at.program.functions[*at.op.callee];
  llvm::ArrayRef<Value> all = at.operands;
  llvm::ArrayRef<Value> carry = all.take_front(body.arguments.size());
  llvm::ArrayRef<Value> slices = all.slice(carry.size(), body.weights.size() + body.numbers.size());
  llvm::ArrayRef<Value> invariants = all.take_back(body.invariants.size());
  auto scan =
      at.make<seq::ScanOp>(at.types, body.name, at.op.integer("trips"), /*reverse=*/false, carry, slices, invariants);
  return Lowered(scan.getResults());
}

llvm::ArrayRef<Lowering> frontend::callLowerings() {
  static const Lowering table[] = {{"call", call}, {"scan", scan}};
  return table;
}
