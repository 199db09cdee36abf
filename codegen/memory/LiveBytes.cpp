//===- LiveBytes.cpp - bytes of a block that are live at once -------------------===//
#include "codegen/memory/LiveBytes.h"

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LiveBytes::LiveBytes(Block &block) {
  for (auto [i, op] : llvm::enumerate(block))
    numbers[&op] = static_cast<int64_t>(i);
  bytes.assign(numbers.size(), 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (!seq::hasOthersMemory(result))
        for (int64_t i = numbers.lookup(&op), end = lastUse(result); i <= end; ++i)
          bytes[i] += bytesOf(result);
}

int64_t LiveBytes::lastUse(Value value) const {
  int64_t last = std::max(numbers.lookup(value.getDefiningOp()), extendedTo.lookup(value));
  for (Operation *user : value.getUsers()) {
    last = std::max(last, numbers.lookup(user));
    if (seq::isView(user))
      last = std::max(last, lastUse(user->getResult(0)));
  }
  return last;
}

void LiveBytes::addBehind(Value value, Operation *end, SmallVectorImpl<int64_t> &to) const {
  if (!value.getDefiningOp()) // an argument
    return;
  for (int64_t i = lastUse(value) + 1; i <= numbers.lookup(end); ++i)
    to[i] += bytesOf(value);
}

int64_t LiveBytes::peak() const { return *llvm::max_element(bytes); }

int64_t LiveBytes::peakWith(ValueRange values, Operation *end) const {
  SmallVector<int64_t> with(bytes);
  for (Value value : values)
    addBehind(value, end, with);
  return *llvm::max_element(with);
}

void LiveBytes::extend(ValueRange values, Operation *end) {
  for (Value value : values) {
    addBehind(value, end, bytes);
    int64_t &until = extendedTo[value];
    until = std::max(until, numbers.lookup(end));
  }
}
