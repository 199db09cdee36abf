//===- ChooseEpilogues.cpp - decides which kernels lie in matmuls -------------===//
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Epilogues.h"
#include "codegen/rows/Passes.h"
#include "passes/support/Describe.h"
#include "passes/support/ParameterLayout.h"

#include "ir/seq/Marks.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSEEPILOGUES
#include "codegen/rows/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A matmul and a kernel that reads rows of its result.
struct Pair {
  Operation *matmul;
  kern::RowwiseOp kernel;
  int64_t saved; ///< bytes that do not move if the kernel is its epilogue
};

class Chooser {
public:
  Chooser(func::FuncOp function, const EpilogueRules &rules, const passes::LibraryCalls &calls)
      : function(function), rules(rules), calls(calls) {}

  void run();

private:
  SmallVector<Pair> findPairs();
  EpilogueVerdict judge(const Pair &pair);
  void mark(const Pair &pair);
  void tell(const Pair &pair, const EpilogueVerdict &verdict);
  std::string refuse(const Pair &pair);
  std::string refuseMatmul(Operation *matmul);
  std::string refuseOperands(Operation *matmul);
  bool readsThroughOthers(const Pair &pair);

  func::FuncOp function;
  const EpilogueRules &rules;
  const passes::LibraryCalls &calls;
  llvm::DenseMap<Operation *, Operation *> partners; // of what was chosen
  int64_t number = 0;
};
} // namespace

/// The kernel reads what the matmul writes; where nothing else reads it, it is not written either.
static int64_t savedBytes(Value result, kern::RowwiseOp kernel) {
  bool alone = llvm::all_of(result.getUsers(), [&](Operation *user) { return user == kernel; });
  return bytesOf(result) * (alone ? 2 : 1);
}

SmallVector<Pair> Chooser::findPairs() {
  SmallVector<Pair> pairs;
  for (Operation &op : function.getBody().front()) {
    if (!weightFormOf(&op))
      continue;
    llvm::SmallPtrSet<Operation *, 4> seen;
    for (Operation *user : op.getResult(0).getUsers())
      if (auto kernel = dyn_cast<kern::RowwiseOp>(user); kernel && seen.insert(user).second)
        pairs.push_back({&op, kernel, savedBytes(op.getResult(0), kernel)});
  }
  llvm::stable_sort(pairs, [](const Pair &a, const Pair &b) { return a.saved > b.saved; });
  return pairs;
}

std::string Chooser::refuseMatmul(Operation *matmul) {
  auto nameOf = [](Type type) {
    std::string name;
    llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
    return name;
  };
  auto result = cast<RankedTensorType>(matmul->getResult(0).getType());
  std::string type = nameOf(matmul->getOperand(0).getType()), ofResult = nameOf(result);
  if (!llvm::is_contained(rules.types, type))
    return "this target has no matmul with an epilogue for " + type;
  if (type != ofResult)
    return "the matmul of " + type + " gives " + ofResult;
  if (matmul->getNumOperands() > 2)
    return "the matmul adds another value";
  if (isMarkedNoFuse(matmul))
    return "the source asks for a kernel of its own";
  auto slice = matmul->getOperand(0).getDefiningOp<seq::AliasOp>();
  if (slice && slice.getAlias() == seq::Alias::columns)
    return "the matmul reads some columns of wider rows";
  if (result.getRank() != 3)
    return "the matmul has no rows of one dimension";
  int64_t depth = cast<RankedTensorType>(matmul->getOperand(0).getType()).getDimSize(2);
  if (depth < rules.limits.leastDepth)
    return llvm::formatv("sums of {0} terms are too short to pay for strips, at least {1}", depth,
                         rules.limits.leastDepth);
  return refuseOperands(matmul);
}

std::string Chooser::refuseOperands(Operation *matmul) {
  for (Value operand : matmul->getOperands())
    if (int64_t width = cast<RankedTensorType>(operand.getType()).getShape().back(); width % rules.limits.operandUnit)
      return llvm::formatv("rows of an operand have {0} numbers, and not a multiple of {1}", width,
                           rules.limits.operandUnit);
  return "";
}

/// Whether what the two read depends on one of them, with those that were chosen before as one operation.
bool Chooser::readsThroughOthers(const Pair &pair) {
  SmallVector<Value> open(pair.kernel->getOperands());
  llvm::erase(open, pair.matmul->getResult(0));
  llvm::append_range(open, pair.matmul->getOperands());
  llvm::DenseSet<Operation *> seen;
  while (!open.empty())
    for (Operation *op = open.pop_back_val().getDefiningOp(); op && seen.insert(op).second; op = partners.lookup(op)) {
      if (op == pair.matmul || op == pair.kernel)
        return true;
      llvm::append_range(open, op->getOperands());
    }
  return false;
}

std::string Chooser::refuse(const Pair &pair) {
  if (std::string reason = refuseMatmul(pair.matmul); !reason.empty())
    return reason;
  if (pair.matmul->hasAttr(epilogueAttr))
    return "another kernel lies in the epilogue of the matmul";
  if (pair.kernel->hasAttr(epilogueAttr))
    return "the kernel lies in the epilogue of another matmul";
  std::optional<unsigned> argument = rowArgumentOf(pair.kernel, pair.matmul->getResult(0));
  if (!argument)
    return "the kernel reads the matmul in two ways";
  if (readsThroughOthers(pair))
    return "what else the kernel reads depends on the matmul";
  std::string reason = refuseEpilogue(pair.kernel, *argument, *weightFormOf(pair.matmul), rules.limits);
  return reason.empty() ? rules.apart : reason;
}

EpilogueVerdict Chooser::judge(const Pair &pair) {
  if (std::string reason = refuse(pair); !reason.empty())
    return {reason, std::nullopt};
  return rules.judge ? rules.judge(pair.matmul, pair.kernel) : EpilogueVerdict();
}

static SmallVector<Operation *> bodyOf(kern::RowwiseOp kernel) {
  return llvm::map_to_vector(kernel.getBody().front().without_terminator(), [](Operation &op) { return &op; });
}

void Chooser::mark(const Pair &pair) {
  Builder b(function.getContext());
  partners[pair.matmul] = pair.kernel;
  partners[pair.kernel] = pair.matmul;
  pair.matmul->setAttr(epilogueAttr, b.getI64IntegerAttr(number));
  pair.kernel->setAttr(epilogueAttr, b.getI64IntegerAttr(number++));
}

void Chooser::tell(const Pair &pair, const EpilogueVerdict &verdict) {
  kern::RowwiseOp kernel = pair.kernel;
  bool isFused = verdict.reason.empty();
  Location loc = kernel.getLoc();
  std::string names = passes::namesOf(calls.withoutTheirs(bodyOf(kernel)), loc),
              matmul = passes::describe(pair.matmul, loc);
  if (names.empty())
    names = kernel.getKernel().value_or("the kernel").str();
  auto options = remark::RemarkOpts::name(isFused ? "FusedEpilogue" : "NotInEpilogue")
                     .category("fusion")
                     .function(function.getName());
  auto remark = isFused ? remark::passed(loc, options) : remark::missed(loc, options);
  remark << ((isFused ? "in" : "not in") + (" the epilogue of " + matmul) + ": " + names);
  if (isFused)
    remark << remark::metric("BytesNotMoved", pair.saved)
           << remark::metric("BytesNotRead", bytesReadOf(kernel, pair.matmul->getResult(0)))
           << remark::metric("Kernel", kernel.getKernel().value_or("")) << remark::metric("Matmul", matmul);
  else
    remark << remark::reason("{0}", verdict.reason);
  if (verdict.times)
    remark << remark::metric("NanosecondsFused", verdict.times->fused)
           << remark::metric("NanosecondsApart", verdict.times->apart);
}

void Chooser::run() {
  for (const Pair &pair : findPairs()) {
    EpilogueVerdict verdict = judge(pair);
    tell(pair, verdict);
    if (verdict.reason.empty())
      mark(pair);
  }
}

void stretto::codegen::chooseEpilogues(ModuleOp module, const EpilogueRules &rules) {
  const passes::LibraryCalls calls(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      Chooser(function, rules, calls).run();
}

namespace {
struct ChooseEpiloguesPass : stretto::codegen::impl::ChooseEpiloguesBase<ChooseEpiloguesPass> {
  using ChooseEpiloguesBase::ChooseEpiloguesBase;

  void runOnOperation() final {
    EpilogueRules rules{
        {types.begin(), types.end()}, {wantedColumns, mostColumns, leastRows, leastStrips, leastDepth}, apart, {}};
    if (rules.types.empty())
      rules.types = {"f32", "f64"};
    chooseEpilogues(getOperation(), rules);
  }
};
} // namespace
