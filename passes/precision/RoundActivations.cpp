//===- RoundActivations.cpp - hold activations in bf16 ------------------------===//
#include "passes/precision/RoundedForms.h"
#include "passes/precision/RoundedValues.h"
#include "passes/support/Scans.h"

#include "ir/seq/ActivationType.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace stretto::passes {
#define GEN_PASS_DEF_ROUNDACTIVATIONS
#include "passes/precision/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

static void reportKept(Operation *op, StringRef why) {
  remark::passed(op->getLoc(), remark::RemarkOpts::name("KeptInF32")
                                   .category("precision")
                                   .function(op->getParentOfType<func::FuncOp>().getName()))
      << why;
}

static bool isRounded(Type type) { return getElementTypeOrSelf(type).isBF16(); }
static Type withElements(Type type, Type element) { return cast<RankedTensorType>(type).clone(element); }

/// Whether the owner needs the value of `use` in bf16, the types of everything but constants and weights being settled.
static bool wantsRounded(OpOperand &use, SymbolTable &symbols) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](seq::LibraryOp op) {
        seq::Rounding rounding = op.getOperandFacts(number).rounding;
        return rounding == seq::Rounding::required ||
               (rounding == seq::Rounding::allowed && isRounded(op->getResult(0).getType()));
      })
      .Case([&](seq::ScanOp scan) {
        return isRounded(symbols.lookup<func::FuncOp>(scan.getBody()).getArgumentTypes()[number]);
      })
      .Case(
          [&](func::ReturnOp end) { return isRounded(end->getParentOfType<func::FuncOp>().getResultTypes()[number]); })
      .Default([](Operation *op) { return seq::isView(op) && isRounded(op->getResult(0).getType()); });
}

/// Extends what the body reads and rounds what it yields, as the types of operands and results are now. What is yielded
/// as it was read is not converted.
static void convertBody(kern::RowwiseOp op) {
  Block &body = op.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (auto [input, argument] : llvm::zip(op.getInputs(), body.getArguments())) {
    Type wide = argument.getType();
    if (!isRounded(input.getType()) || isRounded(wide))
      continue;
    argument.setType(withElements(wide, b.getBF16Type()));
    auto extended = arith::ExtFOp::create(b, argument.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(extended, extended);
  }
  kern::YieldOp yield = op.getYield();
  b.setInsertionPoint(yield);
  for (auto [result, use] : llvm::zip(op.getResults(), yield->getOpOperands())) {
    Value value = use.get();
    if (!isRounded(result.getType()) || isRounded(value.getType()))
      continue;
    auto extended = value.getDefiningOp<arith::ExtFOp>();
    if (extended && isRounded(extended.getIn().getType()))
      use.set(extended.getIn());
    else
      use.set(arith::TruncFOp::create(b, value.getLoc(), withElements(value.getType(), b.getBF16Type()), value));
  }
  for (Operation &inner : llvm::make_early_inc_range(body))
    if (isa<arith::ExtFOp>(inner) && inner.use_empty())
      inner.erase();
}

/// A kernel that yields its rows as it reads them: the value behind `value`, in a type of its own.
static Value copyByKernel(OpBuilder &b, Value value, const Twine &name) {
  auto type = cast<RankedTensorType>(value.getType());
  auto maps = b.getArrayAttr(kern::RowMapAttr::get(b.getContext(), kern::RowMap::row));
  auto kernel = kern::RowwiseOp::create(b, value.getLoc(), TypeRange(type), value, maps, /*partial_sums=*/false,
                                        b.getStringAttr(name), kern::Schedule(), kern::ResourcesAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&kernel.getBody());
  Value row = body->addArgument(type.clone(type.getShape().drop_front(2)), value.getLoc());
  kern::YieldOp::create(b, value.getLoc(), row);
  return kernel.getResult(0);
}

/// Whether a library operation takes or gives rows of f32 whatever other activations are.
static bool areExact(seq::ValueFacts facts, Type type) {
  return facts.kind == RowKind::row && facts.rounding == seq::Rounding::never && getElementTypeOrSelf(type).isF32();
}

namespace {
struct RoundActivationsPass : stretto::passes::impl::RoundActivationsBase<RoundActivationsPass> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!roundedActivationType(module))
      return;
    SymbolTable symbols(module);
    callers = scansByBody(module);
    keepAngles();
    separateExact();
    RoundedValues values(module);
    report(values);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        setTypes(function, values);
    module.walk([&](seq::GetCacheOp get) { symbols.lookup<seq::CacheOp>(get.getCache()).setType(get.getType()); });
    module.walk([](kern::RowwiseOp op) { convertBody(op); });
    convertUses();
  }

private:
  /// Linear mixers whose results are angles keep their rows in f32, and so do their gradients: an angle that is summed
  /// over tokens is too large for what a turn needs of it in bf16.
  void keepAngles() {
    RoundedValues values(getOperation());
    SmallVector<Value> states; // of mixers that are exact
    getOperation().walk([&](seq::MixerOp mixer) {
      if (values.isAngle(mixer.getOut())) {
        mixer.setExact(true);
        reportKept(mixer, "rows of the mixer are held in f32: sines are taken of what it sums over tokens");
      }
      if (mixer.getExact() && mixer.getStates())
        states.push_back(mixer.getStates());
    });
    getOperation().walk([&](seq::MixerStepOp step) {
      if (values.isAngle(step.getOut()))
        step.setExact(true);
    });
    getOperation().walk([&](seq::MixerGradOp gradient) {
      if (llvm::any_of(states, [&](Value each) { return values.areOne(each, gradient.getStates()); }))
        gradient.setExact(true);
    });
  }

  /// Where rows of f32 that a library operation takes or gives would be rounded, as a matmul reads or makes them, too,
  /// a kernel between the two converts them.
  void separateExact() {
    RoundedValues values(getOperation());
    SmallVector<OpOperand *> operands;
    SmallVector<OpResult> results;
    getOperation().walk([&](seq::LibraryOp op) {
      for (OpOperand &use : op->getOpOperands())
        if (areExact(op.getOperandFacts(use.getOperandNumber()), use.get().getType()) && values.contains(use.get()))
          operands.push_back(&use);
      for (OpResult result : op->getResults())
        if (areExact(op.getResultFacts(result.getResultNumber()), result.getType()) && values.contains(result))
          results.push_back(result);
    });
    unsigned number = 0;
    auto copy = [&](OpBuilder b, Value value) {
      auto function = cast<func::FuncOp>(b.getInsertionBlock()->getParentOp());
      return copyByKernel(b, value, function.getName() + ".exact" + Twine(number++));
    };
    llvm::DenseMap<Value, Value> copies; // the first user stands before the others
    for (OpOperand *use : operands) {
      Value &made = copies[use->get()];
      if (!made)
        made = copy(OpBuilder(use->getOwner()), use->get());
      use->set(made);
    }
    for (OpResult result : results) {
      OpBuilder b(&getContext());
      b.setInsertionPointAfterValue(result);
      Value rounded = copy(b, result);
      result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
  }

  void report(RoundedValues &values) {
    getOperation().walk([&](seq::LibraryOp op) {
      bool isMatmul = op.getMatmulKind() == seq::MatmulKind::forward && !op.mixesRows();
      if (isMatmul && values.isLogits(op->getResult(0)) && !values.contains(op->getResult(0)))
        reportKept(op, "logits are held in f32: the loss is computed from them");
    });
  }

  void setTypes(func::FuncOp function, RoundedValues &values) {
    Type element = BFloat16Type::get(&getContext());
    Block &block = function.getBody().front();
    auto round = [&](Value value) {
      if (values.contains(value))
        value.setType(withElements(value.getType(), element));
    };
    llvm::for_each(block.getArguments(), round);
    for (Operation &op : block)
      llvm::for_each(op.getResults(), round);
    SmallVector<Type> results(function.getResultTypes());
    seq::ScanOp caller = callers.lookup(function);
    for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands()))
      if (values.contains(caller ? caller.getResult(i) : value)) // `value` may be a constant
        results[i] = withElements(results[i], element);
    function.setFunctionType(FunctionType::get(&getContext(), block.getArgumentTypes(), results));
  }

  /// Gives weights, constants and what else is held in f32 the form that their readers want.
  void convertUses() {
    SymbolTable symbols(getOperation());
    RoundedForms forms(getOperation());
    SmallVector<OpOperand *> uses;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        for (Operation &op : block)
          for (OpOperand &use : op.getOpOperands())
            if (getElementTypeOrSelf(use.get().getType()).isF32() && wantsRounded(use, symbols))
              uses.push_back(&use);
    // Constants first: they stand at scans, whose other operands change when forms of weights are passed on.
    std::stable_partition(uses.begin(), uses.end(), [](OpOperand *use) {
      return isa_and_present<arith::ConstantOp>(use->get().getDefiningOp());
    });
    for (OpOperand *use : uses)
      use->set(forms.get(use->get()));
    forms.dropUnread();
    getOperation().walk([](Operation *op) {
      if (isa<seq::GetParameterOp, arith::ConstantOp>(op) && op->use_empty())
        op->erase();
    });
  }

  llvm::DenseMap<Operation *, seq::ScanOp> callers; // by body
};
} // namespace
