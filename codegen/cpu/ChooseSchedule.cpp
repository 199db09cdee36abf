//===- ChooseSchedule.cpp - how a fused kernel walks its rows -------------===//
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/Passes.h"
#include "codegen/cpu/RowStrips.h"
#include "codegen/cpu/ScratchValues.h"
#include "codegen/cpu/StoredValues.h"
#include "codegen/cpu/StripLimits.h"
#include "codegen/rows/PassOptions.h"
#include "codegen/rows/RowDemand.h"
#include "codegen/rows/ScheduleOverrides.h"
#include "codegen/rows/StripPlans.h"

#include "ir/seq/TensorBytes.h"
#include "passes/support/OperationCost.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "codegen/cpu/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Bytes of the widest number a kernel works with; it decides how many lanes a vector has.
static int64_t numberBytes(kern::RowKernel op) {
  int64_t bytes = 4;
  auto operands = llvm::to_vector(op->getOperandTypes()), results = llvm::to_vector(op->getResultTypes());
  for (Type type : llvm::concat<const Type>(operands, results))
    bytes = std::max(bytes, elementBytes(type));
  return bytes;
}

/// Operations in the code of one row, a function as many as it takes cycles. Each loop over columns computes what it
/// reads, also what its columns share.
static double operationsOf(const RowPlan &plan) {
  double count = 0;
  for (const RowPhase &phase : plan.phases())
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops) {
        RowDemand demand(plan, nest, loop);
        for (const RowDemand::Item *item : demand.items())
          if (Operation *op = item->value.getDefiningOp(); op && !plan.isRowless(item->value))
            count += passes::cyclesOf(op);
      }
  return count;
}

/// How many rows share a block, whatever a row takes. Four where rows share work: what taps read, constants of expanded
/// functions (and their latency), the ends of short loops; two where it is the taps alone and registers are few.
/// Otherwise a kernel streams, and memory serves one row after another better than several at once. More than four gain
/// nothing, and walk further from what was asked for of the next block.
static int64_t sharingRowsOf(const RowPlan &plan, int64_t lanes, bool manyRegisters) {
  constexpr int64_t longLoop = 4; // vectors
  bool hasTaps = false, hasFunctions = false, hasShortLoops = false;
  for (Operation &inner : plan.kernel().getBody().front()) {
    hasTaps |= isa<seq::TapOp>(inner);
    hasFunctions |= isa<seq::SigmoidOp, seq::SoftplusOp, math::ExpOp, math::TanhOp, math::LogOp, math::ErfOp,
                        math::SinOp, math::CosOp>(inner);
  }
  forEachSection(plan.phases(), [&](const Section &section) {
    hasShortLoops |= section.domain.length > 1 && section.domain.length < longLoop * lanes;
  });
  if (hasFunctions || hasShortLoops || (hasTaps && manyRegisters))
    return 4;
  return hasTaps ? 2 : 1;
}

/// How many rows a block has: those that share work, but fewer where the code of one is long. It keeps a processor busy
/// by itself, and what LLVM takes for a block of code grows faster than the block.
static int64_t blockRowsOf(const RowPlan &plan, double operations, int64_t lanes, bool manyRegisters) {
  constexpr double mostOperations = 1500; // of a block
  int64_t rows = sharingRowsOf(plan, lanes, manyRegisters);
  while (rows > 1 && static_cast<double>(rows) * operations > mostOperations)
    rows /= 2;
  return rows;
}

namespace {
struct ChooseSchedulePass : stretto::codegen::impl::ChooseScheduleBase<ChooseSchedulePass> {
  using ChooseScheduleBase::ChooseScheduleBase;

  LogicalResult initialize(MLIRContext *context) final {
    if (failed(requireAtLeast(0, {{"rows", rows}, {"chunk", chunk}}, context)) ||
        failed(requireAtMost(kern::mostRows, {{"rows", rows}}, context)) ||
        failed(requireAtMost(kern::mostOfCount, {{"chunk", chunk}}, context)))
      return failure();
    return requireAtLeast(1, {{"kept-bytes", keptBytes}, {"chunk-bytes", chunkBytes}, {"least-chunks", leastChunks}},
                          context);
  }

  void runOnOperation() final {
    Operation *root = getOperation();
    auto target = Target::resolve(cpu, [&](const llvm::Twine &message) { root->emitError() << message; });
    if (failed(target))
      return signalPassFailure();
    auto schedules = ScheduleOverrides::read(overrides, {"rows", "lanes", "chunk", "block", "strip"}, root);
    if (failed(schedules))
      return signalPassFailure();
    WalkResult result = root->walk([&](kern::RowKernel op) {
      if (op.getSchedule())
        return WalkResult::advance();
      auto rowwise = dyn_cast<kern::RowwiseOp>(op.getOperation());
      LogicalResult chosen = rowwise ? choose(rowwise, *target, schedules->of(op))
                                     : choose(cast<kern::MatmulOp>(op.getOperation()), *target, schedules->of(op));
      return succeeded(chosen) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult check(const ScheduleOverride &numbers, kern::RowKernel op) {
    int64_t lanes = numbers.get("lanes", kern::mostLanes), least = leastLanes(op);
    if (failed(numbers.check("rows", numbers.get("rows", 1) <= kern::mostRows, "at most " + Twine(kern::mostRows))))
      return failure();
    if (failed(numbers.check("lanes", llvm::isPowerOf2_64(lanes) && lanes <= kern::mostLanes,
                             "a power of two of at most " + Twine(kern::mostLanes))))
      return failure();
    return numbers.check("lanes", lanes >= least, "at least " + Twine(least) + ", as neighbours change places");
  }

  LogicalResult choose(kern::RowwiseOp op, const Target &target, const ScheduleOverride &numbers) {
    if (failed(check(numbers, op)))
      return failure();
    if (failed(numbers.check("block", !numbers.has("block"), "left out where there is no matmul")))
      return failure();
    RowPlan plan(op);
    int64_t lanes = numbers.get("lanes", target.lanes(numberBytes(op)));
    double operations = operationsOf(plan);
    int64_t blockRows = blockOf(blockRowsOf(plan, operations, lanes, target.vectorMasks), numbers);
    FailureOr<std::optional<RowStrips>> cut = stripsOf(op, numbers);
    if (failed(cut))
      return failure();
    RowStrips strips = cut->value_or(RowStrips{{0, 0}, 1});
    int64_t chunkRows = numbers.get("chunk", chunk ? chunk.getValue() : chunkOf(op, blockRows, strips.count));
    ScratchValues choice = chooseScratch(plan, blockRows);
    mark(choice);
    op.setScheduleAttr(kern::VectorScheduleAttr::get(op.getContext(), blockRows, lanes, chunkRows, strips.form.pieces,
                                                     strips.form.width));
    remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
        << "walks blocks of rows" << remark::metric("rows", blockRows) << remark::metric("lanes", lanes)
        << remark::metric("chunk", chunkRows) << remark::metric("chunks", op.getChunks())
        << remark::metric("strips", strips.count) << remark::metric("rolling", choice.rolling.size())
        << remark::metric("cached", choice.cached.size()) << remark::metric("operations", std::llround(operations))
        << remark::metric("cycles", std::llround(choice.after))
        << remark::metric("cycles_without_scratch", std::llround(choice.before));
    SmallVector<std::pair<StringRef, int64_t>> fields{{"rows", blockRows}, {"lanes", lanes}, {"chunk", chunkRows}};
    if (strips.form.width)
      fields.push_back({"strip", strips.form.width});
    numbers.remark(fields);
    return success();
  }

  /// Strips of columns for a kernel without a matmul; none: whole rows.
  FailureOr<std::optional<RowStrips>> stripsOf(kern::RowKernel op, const ScheduleOverride &numbers) {
    if (!numbers.has("strip"))
      return chooseRowStrips(op, keptBytes);
    std::optional<RowStrips> strips = rowStripsOf(op, numbers.get("strip", 0));
    if (failed(numbers.check("strip", columnSumBytes(op) > 0, "left out where no columns are added up")) ||
        failed(numbers.check("strip", strips.has_value(), "a number of columns that meet no others")))
      return failure();
    return strips;
  }

  int64_t blockOf(int64_t chosen, const ScheduleOverride &numbers) {
    return numbers.get("rows", rows ? rows.getValue() : chosen);
  }

  static void mark(const ScratchValues &choice) {
    for (Operation *inner : choice.rolling)
      inner->setAttr(StoredValues::rollingAttribute, UnitAttr::get(inner->getContext()));
    for (Operation *inner : choice.cached)
      inner->setAttr(StoredValues::cachedAttribute, UnitAttr::get(inner->getContext()));
  }

  /// Strips of a matmul that meet no others.
  static FailureOr<StripForm> formOf(kern::MatmulOp op, const MeetingColumns &meeting,
                                     const ScheduleOverride &numbers) {
    std::optional<StripForm> form = meeting.choose(cpuStrips.wantedColumns, cpuStrips.mostColumns);
    if (!form)
      return op.emitOpError() << "brings together columns that do not fit a strip of " << cpuStrips.mostColumns;
    form->width = numbers.get("strip", form->width);
    const int64_t most = meeting.columns() / form->pieces;
    if (failed(numbers.check("strip", meeting.allow(*form), "a number of columns that meet no others")) ||
        failed(numbers.check("strip", form->width <= most, "at most the " + Twine(most) + " columns of a piece")))
      return failure();
    return *form;
  }

  /// A matmul and its epilogue, in strips.
  LogicalResult choose(kern::MatmulOp op, const Target &target, const ScheduleOverride &numbers) {
    if (failed(checkFactors(op)) || failed(check(numbers, op)))
      return failure();
    MeetingColumns meeting(op, 0);
    FailureOr<StripForm> form = formOf(op, meeting, numbers);
    if (failed(form))
      return failure();
    int64_t matmulRows = numbers.get("block", stripRows);
    if (failed(numbers.check("block", matmulRows <= kern::mostBlock, "at most " + Twine(kern::mostBlock))))
      return failure();
    int64_t lanes = numbers.get("lanes", target.lanes(numberBytes(op))), time = op.getRows().second;
    auto set = [&](int64_t blockRows, int64_t chunkRows) {
      op.setScheduleAttr(kern::StripScheduleAttr::get(op.getContext(), form->pieces, form->width, matmulRows, blockRows,
                                                      lanes, chunkRows));
    };
    set(1, time);
    StripPlans plans(op, std::move(meeting), *form);
    if (failed(numbers.check("block", matmulRows >= plans.span(),
                             "at least the " + std::to_string(plans.span()) + " rows that taps bring together")))
      return failure();
    int64_t blockRows = blockOf(4, numbers), items = op.getRows().first * plans.count();
    int64_t chunkRows = numbers.get("chunk", chunk ? chunk.getValue() : runOf(time, items));
    for (const StripPlans::Run &run : plans.runs())
      mark(chooseScratch(run.plan, blockRows));
    set(blockRows, chunkRows);
    remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
        << "walks strips of columns" << remark::metric("pieces", form->pieces) << remark::metric("strip", form->width)
        << remark::metric("strips", plans.count()) << remark::metric("kinds", plans.runs().size())
        << remark::metric("rows", blockRows) << remark::metric("lanes", lanes) << remark::metric("chunk", chunkRows);
    numbers.remark(
        {{"rows", blockRows}, {"lanes", lanes}, {"chunk", chunkRows}, {"block", matmulRows}, {"strip", form->width}});
    return success();
  }

  /// Whole sequences, unless these leave too few items: the halo of a chunk is computed twice.
  int64_t runOf(int64_t time, int64_t items) {
    constexpr int64_t unit = 64, fewest = 256; // rows
    int64_t chosen = time;
    for (int64_t parts = 1; items * parts < leastChunks && chosen >= fewest; ++parts)
      chosen = llvm::alignTo(llvm::divideCeil(time, parts + 1), unit);
    return chosen;
  }

  /// A power of two of blocks that fills `chunk-bytes`, or is so large that the sums of its columns are a sixteenth of
  /// its rows, and leaves `least-chunks` chunks, but of at least 8 rows.
  int64_t chunkOf(kern::RowwiseOp op, int64_t blockRows, int64_t strips) {
    auto [batch, time] = op.getRows();
    int64_t rowBytes = bytesPerRow(op);
    int64_t byBytes = std::max({int64_t(1), chunkBytes * strips / rowBytes, 16 * columnSumBytes(op) / rowBytes});
    int64_t byCount = std::max<int64_t>(1, batch * time * strips / leastChunks);
    int64_t want = std::max<int64_t>(8, std::min({byBytes, byCount, time}));
    int64_t chosen = blockRows;
    while (chosen * 2 <= want)
      chosen *= 2;
    return std::min(chosen, time);
  }
};
} // namespace
