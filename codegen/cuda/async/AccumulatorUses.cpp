//===- AccumulatorUses.cpp - what may stand between asynchronous matmuls and uses of their accumulators -----===//
//
// Between a matmul and the wait that covers it nobody may look at its accumulator, and between any other access to an
// accumulator and a matmul there has to be a fence. Both are seen in the kernel's text: a forward data flow over its
// blocks.
//
//===----------------------------------------------------------------------===//
#include "codegen/cuda/async/AsyncChecks.h"
#include "codegen/cuda/async/BlockStates.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
using Matmul = NVVM::WgmmaMmaAsyncOp;

/// At one point of the kernel, on all ways to it.
struct State {
  /// Of each matmul that may not have been awaited: how many commits followed it, at least; 0: not even its own.
  llvm::SmallMapVector<Operation *, int64_t, 8> commits;
  bool isFenced = false;

  /// What holds on this way, too; whether that is less than before.
  bool meet(const State &other) {
    bool isLess = isFenced && !other.isFenced;
    isFenced &= other.isFenced;
    for (auto [matmul, count] : other.commits) {
      auto [entry, isNew] = commits.insert({matmul, count});
      isLess |= isNew || count < entry->second;
      entry->second = std::min(entry->second, count);
    }
    return isLess;
  }
};

class Accumulators {
public:
  explicit Accumulators(LLVM::LLVMFuncOp function) : function(function) { collect(); }
  LogicalResult check();

private:
  void collect();
  void add(Value value);
  bool accesses(Operation *op) const;
  void pass(Operation *op, State &state) const;
  LogicalResult checkOp(Operation *op, const State &state) const;
  llvm::SmallSetVector<Operation *, 4> matmulsOf(Value value) const;

  LLVM::LLVMFuncOp function;
  llvm::SetVector<Value> values; // that are accumulators
  BlockStates<State> begin;
};
} // namespace

/// Accumulators are what goes through matmuls, and through branches from and to there.
void Accumulators::collect() {
  function.walk([&](Matmul matmul) {
    add(matmul.getInouts());
    add(matmul.getResults());
  });
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i]))
      for (Value value : incomingValues(argument))
        add(value);
    for (OpOperand &use : values[i].getUses())
      if (auto branch = dyn_cast<BranchOpInterface>(use.getOwner()))
        if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
          add(*argument);
  }
}

void Accumulators::add(Value value) { values.insert(value); }

/// Whether an operation other than a matmul reads or makes an accumulator. Branches only pass them on; constants are
/// made wherever compilers like.
bool Accumulators::accesses(Operation *op) const {
  if (isa<Matmul, BranchOpInterface, LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ConstantOp>(op))
    return false;
  auto isAccumulator = [&](Value value) { return values.contains(value); };
  return llvm::any_of(op->getOperands(), isAccumulator) || llvm::any_of(op->getResults(), isAccumulator);
}

void Accumulators::pass(Operation *op, State &state) const {
  if (isa<Matmul>(op))
    state.commits[op] = 0;
  else if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op))
    for (auto &entry : state.commits)
      ++entry.second;
  else if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op))
    state.commits.remove_if([&](const auto &entry) { return entry.second > static_cast<int64_t>(wait.getGroup()); });
  else if (isa<NVVM::WgmmaFenceAlignedOp>(op))
    state.isFenced = true;
  else if (accesses(op))
    state.isFenced = false;
}

/// The matmuls whose result a value may be.
llvm::SmallSetVector<Operation *, 4> Accumulators::matmulsOf(Value value) const {
  llvm::SmallSetVector<Value, 8> sources;
  llvm::SmallSetVector<Operation *, 4> result;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (auto matmul = sources[i].getDefiningOp<Matmul>())
      result.insert(matmul);
    if (auto argument = dyn_cast<BlockArgument>(sources[i]))
      for (Value each : incomingValues(argument))
        sources.insert(each);
  }
  return result;
}

LogicalResult Accumulators::checkOp(Operation *op, const State &state) const {
  if (isa<Matmul>(op) && !state.isFenced)
    return op->emitOpError("must have nvvm.wgmma.fence.aligned between it and what accesses accumulators before it");
  if (!accesses(op))
    return success();
  for (Value operand : op->getOperands())
    for (Operation *matmul : values.contains(operand) ? matmulsOf(operand) : llvm::SmallSetVector<Operation *, 4>())
      if (state.commits.count(matmul)) {
        InFlightDiagnostic error = op->emitOpError("reads the accumulator of a matmul that has not been committed and "
                                                   "awaited on every way to it");
        error.attachNote(matmul->getLoc()) << "the matmul";
        return error;
      }
  return success();
}

LogicalResult Accumulators::check() {
  Block *entry = &function.front();
  llvm::SetVector<Block *> work;
  work.insert(entry);
  begin[entry] = State();
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    State state = begin[block];
    for (Operation &op : *block)
      pass(&op, state);
    for (Block *next : block->getSuccessors()) {
      auto [known, isNew] = begin.insert({next, state});
      if (isNew || known->second.meet(state))
        work.insert(next);
    }
  }
  return checkEach<State>(
      begin, [&](Operation *op, const State &state) { return checkOp(op, state); },
      [&](Operation *op, State &state) { pass(op, state); });
}

LogicalResult stretto::codegen::checkAccumulators(LLVM::LLVMFuncOp function) { return Accumulators(function).check(); }
