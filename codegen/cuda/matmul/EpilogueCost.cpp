//===- EpilogueCost.cpp - how threads share the epilogue of a matmul ----------------===//
#include "codegen/cuda/matmul/EpilogueCost.h"

#include "codegen/cuda/ThreadLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>
#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr int64_t widestVector = widestAccess / 2; // of bf16
static constexpr int64_t mostWarps = 8, mostRows = 4;     // of a group; of a step

// Fitted to what ptxas makes of the backward of Canon with SwiGLU in steps of 1 to 5 rows, of Canon with rotary
// embeddings, and of the convolutions of Mamba-2: from 10 registers too few, in steps that are seldom best, to 40 too
// many.

// Registers and instructions of a thread that no column needs: addresses, counters, conditions.
static constexpr double otherRegisters = 67, otherInstructions = 16;
// Registers of a further vector of a loop, for the same; and where strips differ, for which of them it is.
static constexpr double vectorRegisters = 12, kindRegisters = 16;
// Of rows that are read later two numbers of bf16 share a register.
static constexpr double rollingShare = 0.5;
// What a row is computed with is in part there for further ones, too.
static double workingShare(int64_t rows) { return 0.18 + 0.5 * static_cast<double>(rows); }
// Of a step, for each row of a column that is read later: it changes its place.
static constexpr double instructionsOfRolling = 1.5;
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

/// The sections of a plan that have a domain.
static SmallVector<RowPhase, 0> sectionsOf(const RowPlan &plan, Domain domain) {
  SmallVector<RowPhase, 0> phases;
  for (const RowPhase &phase : plan.phases()) {
    phases.push_back({phase.level, phase.rows, {}, {}});
    forEachSection(phase, [&](const Section &section) {
      if (section.domain == domain)
        phases.back().all.push_back({domain.heads, {{domain.length, {section}}}});
    });
  }
  return phases;
}

EpilogueCost::EpilogueCost(kern::MatmulOp op, const StripPlans &plans, const ScheduleOverride &given) {
  for (const StripPlans::Run &run : plans.runs()) {
    Kind kind{{}, !run.plan.reductions().empty()};
    forEachSection(run.plan.phases(), [&](const Section &section) {
      if (llvm::none_of(kind.loops, [&](const Loops &loops) { return loops.domain == section.domain; }))
        kind.loops.push_back({section.domain, estimateHeld(run.plan, sectionsOf(run.plan, section.domain))});
    });
    kinds.push_back(std::move(kind));
  }
  double share = static_cast<double>(plans.form().pieces * plans.form().width) / op.getColumns();
  computed = computedNumbers(op) * std::min(1.0, share);
  moved = movedNumbers(op) * std::min(1.0, share);
  layOutAll(given);
}

EpilogueLayout EpilogueCost::layOut(int64_t threads, int64_t rows, int64_t lanes) const {
  EpilogueLayout result{threads, rows, lanes, 0, 0, 0, 0};
  for (const Kind &kind : kinds) {
    int64_t fetched = 0, rolling = 0, ofThread = 0, ofStrip = 0; // the last two: columns
    double held = otherRegisters + (kinds.size() > 1 ? kindRegisters : 0), working = 0, tables = 0;
    for (const auto &[domain, values] : kind.loops) {
      ThreadLayout layout = layOutThreads(domain, threads, lanes, kind.reduces);
      int64_t columns = layout.slots * layout.lanes;
      ofThread += columns;
      ofStrip += domain.heads * domain.length;
      fetched += columns * (values.fetchedBytes - values.commonBytes) +
                 llvm::divideCeil(columns * values.commonBytes, layout.headsPerPass);
      rolling += columns * values.rolling;
      held += vectorRegisters * static_cast<double>(layout.slots - 1) +
              columns * (rollingShare * values.rolling + values.sums + values.coefficients);
      tables += columns * rows * values.tableBytes / 4;
      working = std::max(working, columns * values.working * workingShare(rows));
    }
    double ofStep = otherInstructions + instructionsOfRolling * rolling;
    double share = static_cast<double>(ofThread) / static_cast<double>(ofStrip);
    double ofRow = share * (computed + instructionsOfMove * moved / lanes) - instructionsOfRolling * rolling;
    result.registers = std::max(result.registers, static_cast<int64_t>(held + working));
    result.tables = std::max(result.tables, static_cast<int64_t>(tables));
    result.fetched = std::max(result.fetched, fetched);
    result.instructions = std::max(result.instructions, std::max(ofRow, 0.0) + ofStep / rows);
  }
  return result;
}

void EpilogueCost::layOutAll(const ScheduleOverride &given) {
  std::set<std::tuple<int64_t, int64_t, int64_t>> seen; // most of them are the same where numbers are given
  for (int64_t lanes = widestVector; lanes >= 1; lanes /= 2)
    for (int64_t warps = 1; warps <= mostWarps; ++warps)
      for (int64_t rows = mostRows; rows >= 1; --rows) {
        std::tuple numbers(given.get("threads", warps * warpThreads), given.get("rows", rows),
                           given.get("lanes", lanes));
        if (seen.insert(numbers).second)
          layouts.push_back(std::apply([&](auto... each) { return layOut(each...); }, numbers));
      }
}

EpilogueLayout EpilogueCost::choose(int64_t warps, llvm::function_ref<bool(const EpilogueLayout &)> fits,
                                    llvm::function_ref<double(const EpilogueLayout &)> cycles) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  const EpilogueLayout *best = nullptr;
  std::tuple<double, double, int64_t> least;
  for (const EpilogueLayout &layout : layouts) {
    if (layout.threads > warps * warpThreads)
      continue;
    bool suffice = fits(layout);
    std::tuple order(suffice ? cycles(layout) : never,
                     suffice ? layout.instructions * static_cast<double>(layout.threads) : 0, layout.registers);
    if (!best || order < least) {
      best = &layout;
      least = order;
    }
  }
  return best ? *best : layouts.front();
}
