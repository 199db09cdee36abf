//===- PadLogits.cpp - rows of logits begin at aligned addresses ----------------===//
#include "codegen/rows/Epilogues.h"
#include "codegen/rows/Passes.h"
#include "codegen/rows/VectorBuilder.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/RowBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_PADLOGITS
#include "codegen/rows/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A loss, and the matmul that it reads.
struct Site {
  kern::RowwiseOp kernel;
  OpResult logits;
  unsigned argument; ///< of the body: a row of the logits
  int64_t columns;

  bool isWide(Value value) const { return typeOf(value).getRank() && columnsOf(value) == columns; }

  /// What the kernel stores that has as many columns as the logits: their gradient.
  SmallVector<OpResult> wideResults() {
    return llvm::filter_to_vector(kernel->getResults(), [&](Value result) { return isWide(result); });
  }
};
} // namespace

static std::optional<Site> findSite(kern::RowwiseOp kernel) {
  if (!kernel->hasAttr(lossAttr) || kernel.getSchedule())
    return std::nullopt;
  for (Value operand : kernel.getInputs()) {
    auto logits = dyn_cast<OpResult>(operand);
    std::optional<unsigned> argument = rowArgumentOf(kernel, operand);
    if (logits && argument && seq::mayBeColumns(logits))
      return Site{kernel, logits, *argument, columnsOf(logits)};
  }
  return std::nullopt;
}

//===- Whether rows can be padded, and what follows ----------------------------===//

/// Whether each column of what an operation of a body makes depends on the same column alone, or on all of a row.
static bool goesByColumn(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto broadcast = dyn_cast<seq::BroadcastOp>(op)) // columns become no columns of another kind
    return typeOf(broadcast.getOperand()).getRank() == 0 || columnsOf(broadcast.getOperand()) == columnsOf(broadcast);
  return op->hasTrait<OpTrait::Elementwise>() || isa<seq::ColumnIndexOp, seq::TapOp, seq::ReduceOp, kern::YieldOp>(op);
}

/// Why rows cannot be padded; empty: they can.
static StringRef refuse(Site &site) {
  auto isWide = [&](Value value) { return site.isWide(value); };
  auto mayBeColumns = [](OpOperand &use) { return seq::mayBeColumns(use); };
  if (!site.logits.hasOneUse())
    return "something else reads the logits";
  if (llvm::count_if(site.kernel.getBody().getArguments(), isWide) > 1)
    return "the loss reads something else of as many columns";
  for (Operation &op : site.kernel.getBody().front())
    if (!goesByColumn(&op) && (llvm::any_of(op.getOperands(), isWide) || llvm::any_of(op.getResults(), isWide)))
      return "the loss does not go column by column";
  for (Value value : site.kernel.getYield().getValues())
    if (isWide(value) && typeOf(value).getElementType().isBF16() && !value.getDefiningOp<arith::TruncFOp>())
      return "the loss stores what it has read";
  for (Value result : site.wideResults())
    if (!llvm::all_of(result.getUses(), mayBeColumns))
      return "something reads the gradient of the logits that needs rows without gaps";
  return "";
}

/// What holds for the rows of the logits and of their gradient.
struct RowFacts {
  int64_t alignment; ///< bytes that their addresses are multiples of, where the first one's is
  int64_t narrowest; ///< bytes of a number
  int64_t perColumn; ///< bytes of a column of all rows together
};

static RowFacts factsOf(Site &site) {
  RowFacts facts{INT64_MAX, INT64_MAX, 0};
  SmallVector<OpResult> values = site.wideResults();
  values.push_back(site.logits);
  for (Value value : values) {
    int64_t bytes = rowBytes(value), number = bytes / site.columns;
    facts.alignment = std::min(facts.alignment, bytes & -bytes);
    facts.narrowest = std::min(facts.narrowest, number);
    facts.perColumn += rowsOf(value) * number;
  }
  return facts;
}

//===- Padding ----------------------------------------------------------------===//

static RankedTensorType widened(Value value, int64_t columns) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape.back() = columns;
  return typeOf(value).clone(shape);
}

/// An operand through which what lies behind the columns would be seen, and the number that is to stand there.
using Exit = std::pair<OpOperand *, double>;

/// The reductions of a body, and what it stores: the gradient is zero where there are no columns.
static SmallVector<Exit> findExits(Site &site) {
  Block &body = site.kernel.getBody().front();
  SmallVector<Exit> exits;
  for (auto reduce : body.getOps<seq::ReduceOp>())
    if (site.isWide(reduce.getOperand()))
      exits.emplace_back(&reduce->getOpOperand(0), identityOf(reduce.getKind()));
  for (OpOperand &use : body.getTerminator()->getOpOperands())
    if (site.isWide(use.get())) {
      auto rounded = use.get().getDefiningOp<arith::TruncFOp>();
      exits.emplace_back(rounded ? &rounded->getOpOperand(0) : &use, 0);
    }
  return exits;
}

static void maskExits(Block &body, ArrayRef<Exit> exits, int64_t columns) {
  if (exits.empty())
    return;
  passes::RowBuilder b(body.getParentOp()->getLoc(), OpBuilder::atBlockBegin(&body));
  Type row = exits.front().first->get().getType();
  Value inside = b.less(seq::ColumnIndexOp::create(b, row), b.splat(row, static_cast<double>(columns)));
  for (auto [use, number] : exits) {
    b.setLoc(use->getOwner()->getLoc());
    b.setInsertionPoint(use->getOwner());
    use->set(b.select(inside, use->get(), b.splat(use->get().getType(), number)));
  }
}

static void widenBody(Site &site, int64_t columns) {
  Block &body = site.kernel.getBody().front();
  SmallVector<Exit> exits = findExits(site);
  BlockArgument row = body.getArgument(site.argument);
  row.setType(widened(row, columns));
  for (Operation &op : body)
    for (Value result : llvm::make_filter_range(op.getResults(), [&](Value value) { return site.isWide(value); })) {
      RankedTensorType type = widened(result, columns);
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
      result.setType(type);
    }
  maskExits(body, exits, site.columns);
}

static void pad(Site &site, int64_t columns) {
  passes::RowBuilder b(site.logits.getLoc(), site.kernel);
  SmallVector<OpResult> results = site.wideResults();
  Value wide = kern::PadOp::create(b, widened(site.logits, columns), site.logits);
  site.kernel->setOperand(site.argument, wide);
  widenBody(site, columns);
  b.setInsertionPointAfter(site.kernel);
  for (Value result : results) {
    result.setType(widened(result, columns));
    Value columnsThatCount = b.slice(result, 0, site.columns);
    result.replaceAllUsesExcept(columnsThatCount, columnsThatCount.getDefiningOp());
  }
}

namespace {
struct PadLogitsPass : stretto::codegen::impl::PadLogitsBase<PadLogitsPass> {
  using PadLogitsBase::PadLogitsBase;

  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (auto kernel : llvm::to_vector(function.getOps<kern::RowwiseOp>()))
        if (std::optional<Site> site = findSite(kernel))
          consider(*site, function.getName());
  }

private:
  void consider(Site &site, StringRef function) {
    RowFacts facts = factsOf(site);
    int64_t columns = llvm::alignTo(site.columns, llvm::divideCeil(alignment, facts.narrowest));
    if (columns == site.columns)
      return;
    auto options = remark::RemarkOpts::name("PadLogits").category("memory").function(function);
    if (StringRef reason = refuse(site); !reason.empty()) {
      remark::missed(site.logits.getLoc(), options)
          << llvm::formatv("rows of logits begin at multiples of {0} bytes", facts.alignment).str()
          << remark::reason("{0}", reason);
      return;
    }
    remark::passed(site.logits.getLoc(), options)
        << llvm::formatv(
               "rows of logits have {0} columns instead of {1}, and begin at multiples of {2} bytes instead of {3}",
               columns, site.columns, alignment, facts.alignment)
               .str()
        << remark::metric("Bytes", (columns - site.columns) * facts.perColumn);
    pad(site, columns);
  }
};
} // namespace
