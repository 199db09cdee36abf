//===- ReadAgain.cpp - what recomputation reads once more ------------------------===//
#include "passes/autodiff/ReadAgain.h"
#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/Passes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

bool stretto::passes::isCopy(Operation *op) { return op && op->hasAttr(kRecomputedAttr); }

bool stretto::passes::isLibrary(Operation *op) {
  return !isRepeatable(op) && !isFree(op) && !isa<seq::ColumnSumOp>(op);
}

SmallVector<Operation *> stretto::passes::libraryReaders(Value value) {
  SmallVector<Operation *> readers;
  for (Operation *user : value.getUsers())
    if (isLibrary(user))
      readers.push_back(user);
    else if (isa<seq::ReshapeOp>(user))
      llvm::append_range(readers, libraryReaders(user->getResult(0)));
  return readers;
}

/// The values in memory that a value is computed from by copies; itself, if it is no copy.
const ReadAgain::Values &ReadAgain::sourcesOf(Value value) {
  auto [found, isNew] = sources.try_emplace(value);
  if (!isNew)
    return found->second;
  Values result;
  SmallVector<Value> stack{value};
  Values seen{value};
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (op && isFree(op))
      continue;
    if (!isCopy(op))
      result.insert(next);
    else
      for (Value operand : op->getOperands())
        if (seen.insert(operand).second)
          stack.push_back(operand);
  }
  return sources[value] = std::move(result);
}

const ReadAgain::Values &ReadAgain::readBehind(Operation *library) {
  auto [found, isNew] = behind.try_emplace(library);
  if (!isNew)
    return found->second;
  Values result;
  llvm::DenseSet<Operation *> waiting{library};
  for (Operation *op = library->getNextNode(); op; op = op->getNextNode()) {
    auto waits = [&](Value operand) { return waiting.contains(operand.getDefiningOp()); };
    if (!llvm::any_of(op->getOperands(), waits))
      continue;
    waiting.insert(op);
    if (isLibrary(op))
      continue;
    for (Value operand : op->getOperands())
      if (!waits(operand))
        result.insert_range(sourcesOf(operand));
  }
  return behind[library] = std::move(result);
}

bool ReadAgain::contains(Value copy) {
  return llvm::any_of(libraryReaders(copy), [&](Operation *reader) {
    const Values &later = readBehind(reader);
    return llvm::any_of(sourcesOf(copy), [&](Value source) { return later.contains(source); });
  });
}
