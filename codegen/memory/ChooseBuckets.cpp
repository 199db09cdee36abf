//===- ChooseBuckets.cpp - which gradients ranks exchange together ------------===//
#include "codegen/memory/Awaits.h"
#include "codegen/memory/Buckets.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Passes.h"
#include "codegen/memory/Slots.h"
#include "codegen/memory/Timeline.h"
#include "ir/kern/Attributes.h"
#include "passes/support/Scans.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSEBUCKETS
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// The gradient of a parameter, or of its entry in an iteration.
struct Gradient {
  FlatSymbolRefAttr parameter;
  Value value;
};

/// What each iteration of a scan returns for the entries of a stack that is a gradient; null where the gradient is
/// something else.
Value entryOfStack(seq::GradientOp gradient) {
  auto scan = gradient.getValue().getDefiningOp<seq::ScanOp>();
  if (!scan)
    return {};
  unsigned number = cast<OpResult>(gradient.getValue()).getResultNumber();
  return number < scan.getCarry().size() ? Value()
                                         : passes::bodyOf(scan).getBody().front().getTerminator()->getOperand(number);
}

/// The operation behind which a value is there; null: from the beginning of the block on.
Operation *lastWriter(ArrayRef<Gradient> gradients) {
  Operation *last = nullptr;
  for (const Gradient &gradient : gradients)
    if (Operation *source = gradient.value.getDefiningOp(); source && (!last || last->isBeforeInBlock(source)))
      last = source;
  return last;
}

void insertReady(Block &block, ArrayRef<Gradient> gradients) {
  if (gradients.empty())
    return;
  Operation *last = lastWriter(gradients);
  OpBuilder b = last ? OpBuilder(block.getParentOp()->getContext()) : OpBuilder::atBlockBegin(&block);
  if (last)
    b.setInsertionPointAfter(last);
  auto names = llvm::map_to_vector(gradients, [](const Gradient &one) -> Attribute { return one.parameter; });
  auto values = llvm::map_to_vector(gradients, [](const Gradient &one) { return one.value; });
  kern::ReadyOp::create(b, values.front().getLoc(), b.getArrayAttr(names), values, b.getDenseI64ArrayAttr({0}));
}

struct ChooseBucketsPass : stretto::codegen::impl::ChooseBucketsBase<ChooseBucketsPass> {
  using ChooseBucketsBase::ChooseBucketsBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (failed(requireSlots(module)))
      return signalPassFailure();
    module.walk([](Operation *op) {
      if (isa<kern::ReadyOp, kern::AwaitOp>(op))
        op->erase();
    });
    for (func::FuncOp entry : entryFunctions(module))
      if (auto gradients = entry.getOps<seq::GradientOp>(); !gradients.empty()) {
        insertReadyInBodies(entry);
        insertReadyInEntry(entry);
        choose(entry);
        placeAwaits(entry);
      }
  }

private:
  void insertReadyInBodies(func::FuncOp entry) {
    llvm::MapVector<Block *, SmallVector<Gradient>> ofBodies;
    for (auto gradient : entry.getOps<seq::GradientOp>())
      if (Value value = entryOfStack(gradient))
        ofBodies[value.getParentBlock()].push_back({gradient.getParameterAttr(), value});
    for (auto &[block, gradients] : ofBodies)
      insertReady(*block, gradients);
  }

  /// Gradients between two scans are named together.
  void insertReadyInEntry(func::FuncOp entry) {
    Block &block = entry.getBody().front();
    DenseMap<Value, SmallVector<FlatSymbolRefAttr>> parametersOf;
    for (auto gradient : entry.getOps<seq::GradientOp>())
      if (!entryOfStack(gradient))
        parametersOf[gradient.getValue()].push_back(gradient.getParameterAttr());
    SmallVector<Gradient> open;
    auto take = [&](ValueRange values) {
      for (Value value : values)
        for (FlatSymbolRefAttr parameter : parametersOf.lookup(value))
          open.push_back({parameter, value});
    };
    take(block.getArguments());
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<seq::ScanOp>(op)) {
        insertReady(block, open);
        open.clear();
      }
      take(op.getResults());
    }
    insertReady(block, open);
  }

  void choose(func::FuncOp entry) {
    passes::ParameterLayout layout = passes::layoutParameters(getOperation());
    ReadyRuns ready = readyRuns(entry, layout);
    SmallVector<FinalBytes> finals;
    for (const ReadyRun &run : ready.runs)
      llvm::append_range(finals, run.gradients);
    int64_t rowBytes = layout.flatRowBytes();
    SmallVector<FinalRows> buckets = cutIntoBuckets(finals, layout.trainableBytes, rowBytes, bucketBytes);
    Builder b(&getContext());
    auto attributes = llvm::map_to_vector(buckets, [&](const FinalRows &rows) -> Attribute {
      return kern::BucketAttr::get(&getContext(), rows.first, rows.end - rows.first);
    });
    getOperation()->setAttr(kern::bucketsAttr, b.getArrayAttr(attributes));
    tellReady(ready.runs, buckets);
    report(entry, ready, buckets, rowBytes);
  }

  /// At each run, how many buckets are final.
  void tellReady(ArrayRef<ReadyRun> runs, ArrayRef<FinalRows> buckets) {
    llvm::MapVector<kern::ReadyOp, SmallVector<int64_t>> counts;
    for (auto [time, run] : llvm::enumerate(runs)) {
      SmallVector<int64_t> &ofOp = counts[run.op];
      ofOp.resize(std::max<size_t>(ofOp.size(), run.iteration + 1));
      const auto *later =
          llvm::upper_bound(buckets, int64_t(time), [](int64_t now, const FinalRows &rows) { return now < rows.time; });
      ofOp[run.iteration] = later - buckets.begin();
    }
    for (auto &[op, ofOp] : counts)
      kern::ReadyOp(op).setBuckets(ofOp);
  }

  void report(func::FuncOp entry, const ReadyRuns &ready, ArrayRef<FinalRows> buckets, int64_t rowBytes) {
    for (auto [i, rows] : llvm::enumerate(buckets)) {
      kern::ReadyOp op = ready.runs[rows.time].op;
      int64_t after = std::lround(100 * (1 - ready.runs[rows.time].flops / std::max(1.0, ready.flops)));
      remark::passed(op.getLoc(), remark::RemarkOpts::name("Bucket").category("exchange").function(entry.getName()))
          << "bucket " + std::to_string(i + 1) + " of " + std::to_string(buckets.size()) +
                 " is exchanged beside what follows"
          << remark::metric("Bytes", (rows.end - rows.first) * rowBytes) << remark::metric("PercentOfWorkAfter", after);
    }
  }
};
} // namespace
