//===- EpilogueCost.cpp - how threads share the epilogue of a matmul ----------------===//
#include "codegen/cuda/matmul/EpilogueCost.h"

#include "codegen/cuda/ThreadLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr int64_t widestVector = 8; // bf16 in 16 bytes

// Registers and instructions of a thread that no column needs: addresses, counters, conditions.
static constexpr int64_t otherRegisters = 36;
static constexpr double otherInstructions = 16;
// Of a vector that is loaded or stored: its address, and what packs it.
static constexpr double instructionsOfMove = 3;

/// One instruction for an operation or a sum over rows, eight for a function or a division.
static double computedNumbers(kern::MatmulOp op) {
  double instructions = 0;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    bool isFunction = isa<math::MathDialect, seq::SeqDialect>(inner.getDialect()) || isa<arith::DivFOp>(inner);
    if (isa<seq::ColumnSumOp>(inner))
      instructions += elementCount(inner.getOperand(0));
    else if (inner.hasTrait<OpTrait::Elementwise>() && !inner.hasTrait<OpTrait::ConstantLike>())
      instructions += (isFunction ? 8.0 : 1.0) * elementCount(inner.getResult(0));
  }
  return instructions;
}

/// Numbers of rows and tables that are loaded, and of rows that are stored.
static double movedNumbers(kern::RowKernel op) {
  double moved = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::shared)
      moved += elementCount(argument);
  for (auto [i, yielded] : llvm::enumerate(op.getYielded()))
    moved += op.isColumnSum(i) ? 0 : elementCount(yielded);
  return moved;
}

/// The pieces of a plan that have a domain.
static SmallVector<RowPhase, 0> piecesOf(const RowPlan &plan, Domain domain) {
  SmallVector<RowPhase, 0> phases;
  for (const RowPhase &phase : plan.phases()) {
    phases.push_back({phase.level, phase.rows, {}, {}});
    forEachPiece(phase, [&](const Piece &piece) {
      if (piece.domain == domain)
        phases.back().all.push_back({domain.heads, {{domain.length, {piece}}}});
    });
  }
  return phases;
}

EpilogueCost::EpilogueCost(kern::MatmulOp op, StripForm form) {
  StripPlans plans(op, form);
  for (const StripPlans::Run &run : plans.runs()) {
    Kind kind{{}, !run.plan.reductions().empty()};
    forEachPiece(run.plan.phases(), [&](const Piece &piece) {
      if (llvm::none_of(kind.loops, [&](const Loops &loops) { return loops.domain == piece.domain; }))
        kind.loops.push_back({piece.domain, estimateHeld(run.plan, piecesOf(run.plan, piece.domain))});
    });
    kinds.push_back(std::move(kind));
  }
  double share = static_cast<double>(form.pieces * form.width) / op.getColumns();
  computed = computedNumbers(op) * std::min(1.0, share);
  moved = movedNumbers(op) * std::min(1.0, share);
}

EpilogueLayout EpilogueCost::layOut(int64_t threads, int64_t rows, int64_t lanes) const {
  EpilogueLayout result{threads, rows, lanes, 0, 0, 0};
  for (const Kind &kind : kinds) {
    int64_t held = otherRegisters, working = 0, fetched = 0;
    double share = 0; // of the widest loops, which a thread has
    for (const auto &[domain, values] : kind.loops) {
      ThreadLayout layout = layOutThreads(domain, threads, lanes, kind.reduces);
      int64_t columns = layout.slots * layout.lanes;
      share = std::max(share, static_cast<double>(columns) / (domain.heads * domain.length));
      fetched += columns * values.fetchedBytes;
      // Three quarters of what a row is computed with are there for a further one too, as was measured on Canon with
      // SwiGLU and its backward.
      held += columns * (values.rolling + values.sums + values.coefficients + values.tableBytes / 4);
      working = std::max(working, columns * values.working * (4 + 3 * (rows - 1)) / 4);
    }
    result.registers = std::max(result.registers, held + working);
    result.fetched = std::max(result.fetched, fetched);
    result.instructions =
        std::max(result.instructions,
                 otherInstructions + share * (computed + instructionsOfMove * moved / static_cast<double>(lanes)));
  }
  return result;
}

EpilogueLayout EpilogueCost::choose(int64_t warps, int64_t registers, const ScheduleOverride &given) const {
  std::optional<EpilogueLayout> best;
  auto isBetter = [&](const EpilogueLayout &layout) {
    bool fits = layout.registers <= registers, bestFits = best->registers <= registers;
    if (!fits || !bestFits)
      return fits > bestFits || (fits == bestFits && layout.registers < best->registers);
    // The threads of idle warps issue nothing, yet the others have more rows.
    auto ofRow = [&](const EpilogueLayout &l) { return l.instructions / (warps * warpThreads / l.threads); };
    return ofRow(layout) < ofRow(*best);
  };
  for (int64_t lanes = widestVector; lanes >= 1; lanes /= 2)
    for (int64_t threads = warpThreads; threads <= warps * warpThreads; threads += warpThreads)
      for (int64_t rows : {2, 1}) {
        EpilogueLayout layout =
            layOut(given.get("threads", threads), given.get("rows", rows), given.get("lanes", lanes));
        if (!best || isBetter(layout))
          best = layout;
      }
  return *best;
}
