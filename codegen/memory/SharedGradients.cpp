//===- SharedGradients.cpp - activations in the memory of gradients -------===//
#include "codegen/memory/SharedGradients.h"

#include "ir/kern/Slots.h"
#include "ir/seq/Purpose.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Whether the entry runs while gradients are there: it takes or returns them, or is between entries that do.
static bool leavesGradients(func::FuncOp entry) {
  if (isEntry(entry, seq::EntryKind::optimizer))
    return true;
  auto lies = [](kern::SlotAttr slot) { return slot && slot.getArena() == kern::Arena::gradients; };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (lies(kern::slotOfArgument(entry, i)))
      return true;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (lies(kern::slotOfResult(entry, i)))
      return true;
  return false;
}

/// The bytes that some gradient of the module is written to, in order.
static SmallVector<std::pair<int64_t, int64_t>> writtenRanges(ModuleOp module,
                                                              const passes::ParameterLayout &parameters) {
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  module.walk([&](seq::GradientOp gradient) {
    auto parameter = cast<seq::ParameterOp>(module.lookupSymbol(gradient.getParameter()));
    passes::ParameterSlot slot = parameters.slots.lookup(parameter);
    for (int64_t i = 0, entries = parameter.getLayers(); i < entries; ++i)
      ranges.emplace_back(slot.at(i), slot.at(i) + passes::entryBytes(parameter));
  });
  llvm::sort(ranges);
  return ranges;
}

SmallVector<LivePiece>
stretto::codegen::keptForGradients(func::FuncOp entry, const passes::ParameterLayout &parameters,
                                   const Storage &storage,
                                   const llvm::MapVector<unsigned, SmallVector<Occupation>> &occupations, int64_t end) {
  auto always = [&](int64_t from, int64_t to) { return LivePiece{from, to, {{0, end}}}; };
  if (leavesGradients(entry))
    return {always(0, parameters.trainableBytes)};
  SmallVector<LivePiece> kept;
  int64_t done = 0;
  for (auto [from, to] : writtenRanges(entry->getParentOfType<ModuleOp>(), parameters)) {
    if (from > done)
      kept.push_back(always(done, from));
    done = std::max(done, to);
  }
  if (done < parameters.trainableBytes)
    kept.push_back(always(done, parameters.trainableBytes));
  for (auto &[root, uses] : occupations)
    if (std::optional<int64_t> start = storage.offsetIn(root, kern::Arena::gradients))
      for (const Occupation &use : uses)
        kept.push_back({*start + use.from, *start + use.to, {{use.live.first, end}}});
  return kept;
}
