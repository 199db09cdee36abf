//===- RowAnalysis.cpp - which values are rows of a batch ---------------------===//
#include "passes/analysis/RowAnalysis.h"

#include "ir/kern/KernOps.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// A value (depth 0) or one iteration's entry of a value that a scan slices or stacks (depth 1).
using Node = std::pair<Value, unsigned>;

/// Classes of values that have one kind.
class Kinds {
public:
  /// Constants fit any kind and join nothing.
  void unify(Node a, Node b) {
    if (isConstant(a.first) || isConstant(b.first))
      return;
    unsigned left = find(a), right = find(b);
    if (left == right)
      return;
    parents[right] = left;
    if (!kinds[left])
      kinds[left] = kinds[right];
    changed = true;
  }
  void unify(Value a, Value b) { unify(Node(a, 0), Node(b, 0)); }

  /// Says what a value is, unless that was said before.
  bool seed(Node node, RowKind kind) {
    if (isConstant(node.first) || !typeOf(node.first))
      return false;
    unsigned root = find(node);
    if (kinds[root])
      return false;
    kinds[root] = kind;
    return changed = true;
  }
  void seed(ValueRange values, RowKind kind) {
    for (Value value : values)
      seed(Node(value, 0), kind);
  }

  std::optional<RowKind> get(Node node) { return kinds[find(node)]; }
  std::optional<RowKind> get(Value value) { return get(Node(value, 0)); }

  bool takeChanged() { return std::exchange(changed, false); }
  SmallVector<Node> getNodes() const { return nodes; }

private:
  static bool isConstant(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->hasTrait<OpTrait::ConstantLike>();
  }
  unsigned find(Node node) {
    auto [it, inserted] = numbers.try_emplace(node, nodes.size());
    if (inserted) {
      nodes.push_back(node);
      parents.push_back(it->second);
      kinds.emplace_back();
    }
    unsigned root = it->second;
    while (parents[root] != root)
      root = parents[root] = parents[parents[root]];
    return root;
  }

  DenseMap<Node, unsigned> numbers;
  SmallVector<Node> nodes;
  SmallVector<unsigned> parents;
  SmallVector<std::optional<RowKind>> kinds;
  bool changed = false;
};

/// Carries kinds through the operations of a module until nothing changes.
class Solver {
public:
  explicit Solver(ModuleOp module) : module(module), symbols(module) {
    module.walk([&](func::FuncOp function) {
      for (Block &block : function.getBody())
        for (Operation &op : block)
          ops.push_back(&op);
    });
  }

  void run() {
    for (Operation *op : ops) {
      seedByDefinition(op);
      joinStructure(op);
    }
    settle();
    for (Operation *op : ops)
      if (auto sum = dyn_cast<seq::ColumnSumOp>(op)) // of rows, unless it is known to be of a weight's
        kinds.seed(sum.getOperand(), RowKind::row);
    settle();
    for (Operation *op : ops) {
      if (!isa<seq::ReduceOp, seq::PermuteOp, seq::ColumnIndexOp>(op))
        continue;
      Value shaped = op->getNumOperands() ? op->getOperand(0) : op->getResult(0);
      if (typeOf(shaped).getRank() >= 3)
        kinds.seed(shaped, RowKind::row);
    }
    settle();
    eachValue([&](Value value) {
      if (typeOf(value).getRank() >= 3 && kinds.seed(Node(value, 0), RowKind::row))
        settle();
    });
  }

  void record(DenseMap<Value, RowKind> &result) {
    eachValue([&](Value value) { result[value] = kinds.get(value).value_or(RowKind::shared); });
  }

private:
  void eachValue(function_ref<void(Value)> visit) {
    auto tensors = [&](ValueRange values) {
      for (Value value : values)
        if (typeOf(value))
          visit(value);
    };
    module.walk([&](func::FuncOp function) { tensors(function.getArguments()); });
    for (Operation *op : ops)
      tensors(op->getResults());
  }

  void settle() {
    do {
      for (Operation *op : ops)
        joinByKind(op);
      for (auto [value, depth] : kinds.getNodes())
        if (depth == 1)
          relateStack(value);
    } while (kinds.takeChanged());
  }

  void seedByDefinition(Operation *op);
  void joinStructure(Operation *op);
  void joinScan(seq::ScanOp scan);
  void joinCall(func::CallOp call);
  void joinByKind(Operation *op);
  void joinBroadcast(seq::BroadcastOp op);
  void joinReshape(seq::ReshapeOp op);
  void relateStack(Value stack);

  ModuleOp module;
  SymbolTable symbols;
  SmallVector<Operation *> ops;
  Kinds kinds;
};
} // namespace

void Solver::seedByDefinition(Operation *op) {
  auto row = [&](ValueRange values) { kinds.seed(values, RowKind::row); };
  auto shared = [&](ValueRange values) { kinds.seed(values, RowKind::shared); };
  TypeSwitch<Operation *>(op)
      .Case<seq::CanonOp, seq::RotaryOp>([&](Operation *op) {
        row({op->getOperand(0), op->getResult(0)});
        shared(op->getOperands().drop_front());
      })
      .Case<seq::RmsNormOp, seq::LayerNormOp>([&](Operation *op) {
        kinds.unify(op->getOperand(0), op->getResult(0));
        shared(op->getOperands().drop_front());
      })
      .Case([&](seq::LibraryOp op) {
        auto seed = [&](Value value, seq::ValueFacts facts) {
          if (facts.kind)
            kinds.seed(value, *facts.kind);
        };
        for (OpOperand &operand : op->getOpOperands())
          seed(operand.get(), op.getOperandFacts(operand.getOperandNumber()));
        for (OpResult result : op->getResults())
          seed(result, op.getResultFacts(result.getResultNumber()));
      })
      .Case([&](seq::GetCacheOp op) { kinds.seed(op.getResult(), RowKind::other); })
      .Case<seq::CrossEntropyOp, seq::TokenLossOp, seq::PredictOp>([&](Operation *op) {
        row(op->getOperands());
        row(op->getResults());
      })
      .Case([&](seq::ColumnSumOp op) { shared(op.getResult()); })
      .Case([&](seq::TapOp op) { row({op.getOperand(), op.getResult()}); })
      .Case([&](seq::PositionsOp op) { row(op.getResult()); })
      .Case([&](seq::TableOp op) { kinds.seed(op.getResult(), RowKind::time); })
      .Case<seq::LayerNumbersOp, seq::GetParameterOp, seq::GradientOp>([&](Operation *op) {
        shared(op->getOperands());
        shared(op->getResults());
      })
      .Case([&](kern::RowwiseOp op) {
        for (auto [i, input] : llvm::enumerate(op.getInputs()))
          kinds.seed(input, op.getMap(i) == kern::RowMap::row    ? RowKind::row
                            : op.getMap(i) == kern::RowMap::time ? RowKind::time
                                                                 : RowKind::shared);
        for (auto [i, result] : llvm::enumerate(op.getResults()))
          kinds.seed(result, op.isColumnSum(i) ? RowKind::shared : RowKind::row);
      });
}

/// Operations whose operands and results have one kind, whatever it is; calls and scans.
void Solver::joinStructure(Operation *op) {
  if (auto scan = dyn_cast<seq::ScanOp>(op))
    return joinScan(scan);
  if (auto call = dyn_cast<func::CallOp>(op))
    return joinCall(call);
  if (auto backward = dyn_cast<seq::BackwardOp>(op))
    for (auto [value, gradient] : llvm::zip(backward.getValues(), backward.getGradients()))
      kinds.unify(value, gradient);
  if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() != 1)
    return;
  if (op->hasTrait<OpTrait::Elementwise>() ||
      isa<seq::SliceOp, seq::ConcatOp, seq::PermuteOp, seq::ReduceOp, seq::TapOp>(op))
    for (Value operand : op->getOperands())
      kinds.unify(op->getResult(0), operand);
}

void Solver::joinScan(seq::ScanOp scan) {
  auto body = symbols.lookup<func::FuncOp>(scan.getBody());
  if (!body || body.isExternal())
    return;
  ValueRange returned = body.getBody().front().getTerminator()->getOperands();
  unsigned carries = scan.getCarry().size(), argument = 0;
  for (auto [i, value] : llvm::enumerate(scan.getCarry())) {
    kinds.unify(body.getArgument(argument++), value);
    kinds.unify(returned[i], scan.getResult(i));
    kinds.unify(body.getArgument(i), returned[i]);
  }
  for (Value slice : scan.getSlices())
    kinds.unify(Node(body.getArgument(argument++), 0), Node(slice, 1));
  for (Value invariant : scan.getInvariants())
    kinds.unify(body.getArgument(argument++), invariant);
  for (auto [i, stack] : llvm::enumerate(scan.getStackResults()))
    kinds.unify(Node(returned[carries + i], 0), Node(stack, 1));
}

void Solver::joinCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return;
  for (auto [argument, operand] : llvm::zip(callee.getArguments(), call.getOperands()))
    kinds.unify(argument, operand);
  Operation *end = callee.getBody().front().getTerminator();
  for (auto [returned, result] : llvm::zip(end->getOperands(), call.getResults()))
    kinds.unify(returned, result);
}

void Solver::joinByKind(Operation *op) {
  if (auto broadcast = dyn_cast<seq::BroadcastOp>(op))
    joinBroadcast(broadcast);
  else if (auto reshape = dyn_cast<seq::ReshapeOp>(op))
    joinReshape(reshape);
}

/// What a broadcast repeats along batch is a table or shared, what it repeats along both is shared.
void Solver::joinBroadcast(seq::BroadcastOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  ArrayRef<int64_t> dims = op.getDims();
  bool batch = llvm::is_contained(dims, 0), time = llvm::is_contained(dims, 1);
  std::optional<RowKind> from = kinds.get(operand), to = kinds.get(result);
  if (from == RowKind::row && batch && time)
    kinds.seed(result, RowKind::row);
  if (from == RowKind::time)
    kinds.seed(result, batch ? RowKind::time : RowKind::row);
  if (to == RowKind::row)
    kinds.seed(operand, batch && time ? RowKind::row : time ? RowKind::time : RowKind::shared);
  if (to == RowKind::time)
    kinds.seed(operand, batch ? RowKind::time : RowKind::shared);
  if (to == RowKind::shared)
    kinds.seed(operand, RowKind::shared);
}

/// A reshape keeps rows where it keeps their batch and time; parameters stay parameters under any shape.
void Solver::joinReshape(seq::ReshapeOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  ArrayRef<int64_t> from = typeOf(operand).getShape(), to = typeOf(result).getShape();
  auto keeps = [&](size_t leading) {
    return from.size() >= leading && to.size() >= leading && from.take_front(leading) == to.take_front(leading);
  };
  auto either = [&](RowKind kind) { return kinds.get(operand) == kind || kinds.get(result) == kind; };
  if (either(RowKind::shared) || (either(RowKind::row) && keeps(2)) || (either(RowKind::time) && keeps(1)))
    kinds.unify(operand, result);
}

/// A stack of parameters is a parameter; a stack of anything else is not for kernels.
void Solver::relateStack(Value stack) {
  Node entry(stack, 1);
  if (std::optional<RowKind> kind = kinds.get(entry))
    kinds.seed(stack, kind == RowKind::shared ? RowKind::shared : RowKind::other);
  else if (kinds.get(stack) == RowKind::shared)
    kinds.seed(entry, RowKind::shared);
}

RowAnalysis::RowAnalysis(ModuleOp module) {
  Solver solver(module);
  solver.run();
  solver.record(kinds);
}

RowKind RowAnalysis::getKind(Value value) const {
  auto it = kinds.find(value);
  return it == kinds.end() ? RowKind::shared : it->second;
}

llvm::StringRef stretto::passes::stringifyRowKind(RowKind kind) {
  switch (kind) {
  case RowKind::row:
    return "row";
  case RowKind::time:
    return "time";
  case RowKind::shared:
    return "shared";
  case RowKind::other:
    return "other";
  }
  llvm_unreachable("unknown kind");
}
