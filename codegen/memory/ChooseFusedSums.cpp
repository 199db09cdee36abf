//===- ChooseFusedSums.cpp - decides which sums share a launch -----------------===//
#include "codegen/memory/FusedSums.h"
#include "codegen/memory/LiveBytes.h"
#include "codegen/memory/Passes.h"
#include "passes/support/Describe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSEFUSEDSUMS
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Goes through the sums of a function in order; each is fused with those before it or begins a new launch. So there
/// are as few launches as can be where each has its partials and stands in front of the readers of its sums.
class Chooser {
public:
  /// `most` sums of a launch; the peak of live bytes grows by `slack` at most.
  Chooser(func::FuncOp function, int64_t most, int64_t slack)
      : function(function), block(function.getBody().front()), live(block), most(most), limit(live.peak() + slack) {}

  void run();

private:
  using Sums = SmallVector<kern::SumPartialsOp>;

  std::string refuse(kern::SumPartialsOp sum) const;
  void add(kern::SumPartialsOp sum);
  void finish();
  void tellApart(kern::SumPartialsOp sum, StringRef reason);

  func::FuncOp function;
  Block &block;
  LiveBytes live;
  int64_t most, limit, number = 0;
  Sums open;                        // what the next sum may be fused with
  Operation *firstReader = nullptr; // of their results
  seq::ScanOp scan;                 // behind them
};
} // namespace

static SmallVector<Value> partialsOf(ArrayRef<kern::SumPartialsOp> sums) {
  SmallVector<Value> partials;
  for (kern::SumPartialsOp sum : sums)
    llvm::append_range(partials, sum.getPartials());
  return partials;
}

/// What computes the entries of sums, in kernels of rows.
static SmallVector<Operation *> makersOf(ArrayRef<kern::SumPartialsOp> sums) {
  SmallVector<Operation *> makers;
  for (Value partials : partialsOf(sums)) {
    Operation *maker = partials.getDefiningOp();
    if (auto kernel = dyn_cast_if_present<kern::RowKernel>(maker))
      maker = kernel.getYielded()[cast<OpResult>(partials).getResultNumber()].getDefiningOp();
    if (maker)
      makers.push_back(maker);
  }
  return makers;
}

/// What the source calls them; where it does not, their kernels.
static std::string describe(ArrayRef<kern::SumPartialsOp> sums) {
  kern::SumPartialsOp first = sums.front();
  std::string names = passes::namesOf(makersOf(sums), first.getLoc());
  if (!names.empty())
    return names;
  return llvm::join(llvm::map_range(sums, [](kern::SumPartialsOp sum) { return sum.getKernel().value_or("a sum"); }),
                    ", ");
}

std::string Chooser::refuse(kern::SumPartialsOp sum) const {
  if (scan)
    return "a scan lies between";
  if (firstReader && firstReader->isBeforeInBlock(sum))
    return "a sum before it is read by then";
  if (static_cast<int64_t>(open.size()) == most)
    return llvm::formatv("a launch has at most {0} sums", most);
  if (int64_t bytes = live.peakWith(partialsOf(open), sum); bytes > limit)
    return llvm::formatv("{0} bytes would be live at once, and not {1} at most", bytes, limit);
  return "";
}

void Chooser::tellApart(kern::SumPartialsOp sum, StringRef reason) {
  auto options = remark::RemarkOpts::name("SumNotFused").category("fusion").function(function.getName());
  remark::missed(sum.getLoc(), options) << ("not in one launch with the sums before it: " + describe(sum))
                                        << remark::reason("{0}", reason);
}

void Chooser::add(kern::SumPartialsOp sum) {
  live.extend(partialsOf(open), sum);
  open.push_back(sum);
  for (Operation *user : sum->getUsers())
    if (!firstReader || user->isBeforeInBlock(firstReader))
      firstReader = user;
}

/// The open sums share a launch if there are several.
void Chooser::finish() {
  if (open.size() > 1) {
    auto options = remark::RemarkOpts::name("FusedSums").category("fusion").function(function.getName());
    remark::passed(open.front().getLoc(), options)
        << ("sums over rows in one launch: " + describe(open)) << remark::metric("Sums", open.size());
    for (kern::SumPartialsOp sum : open)
      sum->setAttr(fusedSumAttr, Builder(sum).getI64IntegerAttr(number));
    ++number;
  }
  open.clear();
  firstReader = nullptr;
  scan = {};
}

void Chooser::run() {
  for (Operation &op : block) {
    if (auto between = dyn_cast<seq::ScanOp>(op); between && !open.empty())
      scan = between;
    auto sum = dyn_cast<kern::SumPartialsOp>(op);
    if (!sum || sum.getAccumulator())
      continue;
    if (std::string reason = open.empty() ? "" : refuse(sum); !reason.empty()) {
      tellApart(sum, reason);
      finish();
    }
    add(sum);
  }
  finish();
}

namespace {
struct ChooseFusedSumsPass : stretto::codegen::impl::ChooseFusedSumsBase<ChooseFusedSumsPass> {
  using ChooseFusedSumsBase::ChooseFusedSumsBase;

  void runOnOperation() final {
    if (most < 1 || slack < 0) {
      emitError(getOperation().getLoc()) << getArgument() << " needs 'most' of at least 1 and 'slack' of at least 0, "
                                         << "but got " << most.getValue() << " and " << slack.getValue();
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        Chooser(function, most, slack).run();
  }
};
} // namespace
