//===- StripItems.cpp - chunks of rows and strips of columns -------------------===//
#include "codegen/cpu/StripItems.h"

#include "codegen/cpu/NestBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

StripItem stretto::codegen::stripItem(VectorBuilder &b, Value number, int64_t strips, int64_t chunkRows, int64_t time) {
  auto divide = [&](Value value, int64_t by) {
    if (by == 1)
      return std::pair<Value, Value>(value, b.index(0));
    return std::pair<Value, Value>(arith::DivSIOp::create(b, value, b.index(by)),
                                   arith::RemSIOp::create(b, value, b.index(by)));
  };
  StripItem item;
  std::tie(item.chunk, item.strip) = divide(number, strips);
  auto [sequence, inSequence] = divide(item.chunk, llvm::divideCeil(time, chunkRows));
  item.sequence = sequence;
  item.first = b.mul(inSequence, chunkRows);
  item.last = b.minimum(b.add(item.first, b.index(chunkRows)), b.index(time));
  return item;
}

void stretto::codegen::emitRunOf(VectorBuilder &b, const StripPlans &plans, Value strip,
                                 llvm::function_ref<void(size_t)> emit) {
  if (plans.runs().size() == 1)
    return emit(0);
  for (auto [i, run] : llvm::enumerate(plans.runs())) {
    Value begins = b.compare(arith::CmpIPredicate::sle, b.index(run.first), strip);
    Value ends = b.compare(arith::CmpIPredicate::slt, strip, b.index(run.first + run.count));
    emitIf(b, arith::AndIOp::create(b, begins, ends), [&] { emit(i); });
  }
}
