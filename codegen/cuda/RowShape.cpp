//===- RowShape.cpp - what the schedule of a rowwise kernel follows from ----===//
#include "codegen/cuda/RowShape.h"

#include "codegen/cuda/RowWalk.h"

#include "ir/seq/TensorBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t otherRegisters = 28; // addresses, counters, conditions
constexpr int64_t loopRegisters = 16;  // the same, of further columns
constexpr int64_t quarters = 4;        // of a multiprocessor
constexpr double aheadShare = 0.35; // of the time of a step, where its loads are on their way while others are computed

//===- Measures -----------------------------------------------------------------===//

RowShape::RowShape(const RowPlan &plan, bool apart) {
  measureRows(plan.kernel());
  measureParts(plan, apart);
  narrowest = std::min(narrowest, widest);
  measureTaps(plan.halo());
}

void RowShape::measureTaps(RowRange all) {
  halo = all.high - all.low;
  int64_t rolling = 0;
  for (const PartShape &part : parts)
    for (const PartShape::Loops &loops : part.loops) {
      rolling = std::max(rolling, loops.held.rolling);
      reach = std::min(reach, loops.held.reach);
      loadsAgain |= loops.held.againBytes > 0;
    }
  if (loadsAgain)
    halo = std::min(halo, rolling);
}

void RowShape::measureRows(kern::RowKernel op) {
  std::tie(batch, time) = op.getRows();
  auto count = [&](Value row, kern::RowMap map) {
    int64_t bytes = elementBytes(row);
    rowBytes += elementCount(row) * bytes;
    if (!isa<FloatType>(getElementTypeOrSelf(row.getType())) || elementCount(row) == 1)
      return;
    narrowest = std::min(narrowest, bytes);
    if (map == kern::RowMap::row)
      streamed = std::max(streamed, bytes);
  };
  for (BlockArgument argument : op.getBody().getArguments())
    if (kern::RowMap map = op.getMap(argument.getArgNumber()); map != kern::RowMap::shared)
      count(argument, map);
  for (auto [i, value] : llvm::enumerate(op.getYielded())) {
    if (op.isColumnSum(i))
      sumBytes += elementCount(value) * elementBytes(value);
    else
      count(value, kern::RowMap::row);
  }
}

void RowShape::measureParts(const RowPlan &plan, bool apart) {
  for (ArrayRef<RowPhase> phases : splitSections(plan)) {
    if (apart || parts.empty())
      parts.push_back({{}, true, false});
    addLoops(parts.back(), plan, phases);
  }
}

void RowShape::addLoops(PartShape &part, const RowPlan &plan, ArrayRef<RowPhase> phases) {
  part.mayTile &= stretto::codegen::mayTile(plan, phases);
  size_t first = part.loops.size();
  for (const RowPhase &phase : phases)
    forEachSection(phase, [&](const Section &section) {
      const Root &root = plan.roots()[section.root];
      int64_t bytes = elementBytes(root.value);
      widest = std::max(widest, bytes);
      auto isOfDomain = [&](const Section &other) { return other.domain == section.domain; };
      auto *loops = std::find_if(part.loops.begin() + first, part.loops.end(),
                                 [&](const PartShape::Loops &known) { return known.domain == section.domain; });
      if (loops == part.loops.end()) {
        HeldValues held = estimateHeld(plan, phasesOf(phases, isOfDomain));
        loops = part.loops.insert(part.loops.end(), {section.domain, false, held});
      }
      bool reduces = root.kind == Root::reduce;
      part.reduces |= reduces;
      loops->perHead |= reduces && !GroupReductions::isWhole(section);
      // Rows are stored at the end of a step.
      if (root.kind == Root::store && phase.level < phases.back().level && section.index.column)
        loops->held.waiting += static_cast<double>(bytes) / 4;
    });
}

//===- What a sharing takes -----------------------------------------------------===//

int64_t PartShape::vectors(int64_t lanes) const {
  int64_t most = 1;
  for (const Loops &each : loops) {
    ThreadLayout layout = layOutThreads(each.domain, int64_t(1) << 40, lanes, each.perHead);
    most = std::max(most, each.domain.heads * layout.pad);
  }
  return most;
}

int64_t RowShape::tiles(const PartShape &part, RowSharing sharing) {
  return part.mayTile ? llvm::divideCeil(part.vectors(sharing.lanes), sharing.threads) : 1;
}

int64_t RowShape::tiles(RowSharing sharing) const {
  int64_t count = 0;
  for (const PartShape &part : parts)
    count += tiles(part, sharing);
  return count;
}

/// That a thread holds of each value: its part of the row, or one vector where it visits them in a loop.
int64_t RowShape::columns(const PartShape &part, const PartShape::Loops &loops, RowSharing sharing) const {
  ThreadLayout layout = layOutThreads(loops.domain, sharing.threads, sharing.lanes, loops.perHead);
  bool isOneVector = part.mayTile || layout.slots * layout.lanes * widest / 4 > mostColumnRegisters;
  return isOneVector ? layout.lanes : layout.slots * layout.lanes;
}

/// A further row takes what it loads, unless that waits in shared memory, and half as much again (measured on norms,
/// Canon and their backwards) or what it leaves for a later stage.
int64_t RowShape::registers(const PartShape &part, RowSharing sharing) const {
  int64_t held = 0, working = 0, further = 0, count = 0;
  for (const PartShape::Loops &loops : part.loops) {
    int64_t ofValue = columns(part, loops, sharing);
    count += loops.domain != Domain{1, 1};
    held += ofValue * loops.held.lasting();
    working = std::max(working, ofValue * loops.held.working);
    double ofRow = (sharing.copies() ? 0 : loops.held.loadedBytes / 4.0) +
                   std::max(loops.held.loadedBytes / 8.0, loops.held.waiting);
    further += static_cast<int64_t>(ofValue * ofRow);
  }
  return otherRegisters + std::max<int64_t>(count - 1, 0) * loopRegisters + (held + working) * widest / 4 +
         (sharing.rows - 1) * further;
}

const PartShape &RowShape::largest(RowSharing sharing) const {
  return *llvm::max_element(
      parts, [&](const PartShape &a, const PartShape &b) { return registers(a, sharing) < registers(b, sharing); });
}

int64_t RowShape::registers(RowSharing sharing) const { return registers(largest(sharing), sharing); }

double RowShape::stepsOfRow(RowSharing sharing, int64_t block) const {
  double steps = 0;
  for (const PartShape &part : parts)
    steps += tiles(part, sharing) * (part.reduces ? 1 : aheadShare);
  int64_t ofBlock = llvm::alignTo(registers(sharing), 8) * llvm::alignTo(block, quarters * warpThreads);
  return steps / static_cast<double>(sharing.rows * std::max<int64_t>(1, processorRegisters / ofBlock));
}

int64_t RowShape::bytesOfStep(RowSharing sharing, int64_t HeldValues::*bytes) const {
  const PartShape &part = largest(sharing);
  int64_t sum = 0;
  for (const PartShape::Loops &loops : part.loops)
    sum += columns(part, loops, sharing) * loops.held.*bytes;
  return sharing.rows * sum;
}

int64_t RowShape::loadedBytes(RowSharing sharing) const { return bytesOfStep(sharing, &HeldValues::loadedBytes); }
int64_t RowShape::fetchedBytes(RowSharing sharing) const { return bytesOfStep(sharing, &HeldValues::fetchedBytes); }

int64_t RowShape::rolling(RowSharing sharing) const {
  const PartShape &part = largest(sharing);
  int64_t numbers = 0;
  for (const PartShape::Loops &loops : part.loops)
    numbers += columns(part, loops, sharing) * loops.held.rolling;
  return numbers;
}

int64_t RowShape::longest(RowSharing sharing) const {
  int64_t longest = 0;
  for (const PartShape::Loops &loops : largest(sharing).loops)
    longest = std::max(longest, loops.held.longest);
  return longest;
}
