//===- ChooseEpilogues.cpp - decides which kernels lie in matmuls -------------===//
#include "codegen/rows/Epilogues.h"
#include "codegen/rows/Passes.h"
#include "passes/fusion/GroupRemarks.h"
#include "passes/support/ParameterLayout.h"

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
  Chooser(func::FuncOp function, ArrayRef<std::string> types, EpilogueLimits limits, StringRef apart)
      : function(function), types(types), limits(limits), apart(apart) {}

  void run();

private:
  SmallVector<Pair> findPairs();
  std::string refuse(const Pair &pair);
  std::string refuseMatmul(Operation *matmul);
  bool readsThroughOthers(const Pair &pair);

  func::FuncOp function;
  ArrayRef<std::string> types;
  EpilogueLimits limits;
  StringRef apart;
  llvm::DenseMap<Operation *, Operation *> partners; // of what was chosen
  int64_t number = 0;
};
} // namespace

/// The kernel reads what the matmul writes; where nothing else reads it, it is not written either.
static int64_t savedBytes(Value result, kern::RowwiseOp kernel) {
  bool alone = llvm::all_of(result.getUsers(), [&](Operation *user) { return user == kernel; });
  return passes::byteSize(result.getType()) * (alone ? 2 : 1);
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
  std::string type;
  llvm::raw_string_ostream(type) << getElementTypeOrSelf(matmul->getOperand(0).getType());
  auto result = cast<RankedTensorType>(matmul->getResult(0).getType());
  if (!llvm::is_contained(types, type) || getElementTypeOrSelf(result) != getElementTypeOrSelf(matmul->getOperand(0)))
    return "this target has no matmul with an epilogue for " + type;
  if (matmul->getNumOperands() > 2)
    return "the matmul adds another value";
  if (matmul->hasAttr("seq.no_fuse"))
    return "the source asks for a kernel of its own";
  auto slice = matmul->getOperand(0).getDefiningOp<seq::AliasOp>();
  if (slice && slice.getAlias() == seq::Alias::columns)
    return "the matmul reads some columns of wider rows";
  if (result.getRank() != 3)
    return "the matmul has no rows of one dimension";
  int64_t depth = cast<RankedTensorType>(matmul->getOperand(0).getType()).getDimSize(2);
  if (depth < limits.leastDepth)
    return llvm::formatv("sums of {0} terms are too short to pay for strips, at least {1}", depth, limits.leastDepth);
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
  std::string reason = refuseEpilogue(pair.kernel, *argument, limits);
  return reason.empty() ? apart.str() : reason;
}

static SmallVector<Operation *> bodyOf(kern::RowwiseOp kernel) {
  return llvm::map_to_vector(kernel.getBody().front().without_terminator(), [](Operation &op) { return &op; });
}

void Chooser::run() {
  Builder b(function.getContext());
  for (Pair &pair : findPairs()) {
    std::string reason = refuse(pair);
    std::string names = passes::namesOf(bodyOf(pair.kernel)), matmul = passes::describe(pair.matmul);
    if (names.empty())
      names = pair.kernel.getKernel().value_or("the kernel").str();
    if (!reason.empty()) {
      auto options = remark::RemarkOpts::name("NotInEpilogue").category("fusion").function(function.getName());
      remark::missed(pair.kernel.getLoc(), options)
          << ("not in the epilogue of " + matmul + ": " + names) << remark::reason("{0}", reason);
      continue;
    }
    partners[pair.matmul] = pair.kernel;
    partners[pair.kernel] = pair.matmul;
    pair.matmul->setAttr(epilogueAttr, b.getI64IntegerAttr(number));
    pair.kernel->setAttr(epilogueAttr, b.getI64IntegerAttr(number++));
    auto options = remark::RemarkOpts::name("FusedEpilogue").category("fusion").function(function.getName());
    remark::passed(pair.kernel.getLoc(), options)
        << ("in the epilogue of " + matmul + ": " + names) << remark::metric("BytesNotMoved", pair.saved);
  }
}

namespace {
struct ChooseEpiloguesPass : stretto::codegen::impl::ChooseEpiloguesBase<ChooseEpiloguesPass> {
  using ChooseEpiloguesBase::ChooseEpiloguesBase;

  void runOnOperation() final {
    SmallVector<std::string> list(types.begin(), types.end());
    if (list.empty())
      list = {"f32", "f64"};
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        Chooser(function, list, {wantedColumns, mostColumns, leastRows, leastStrips, leastDepth}, apart).run();
  }
};
} // namespace
