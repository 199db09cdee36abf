//===- Entries.cpp - the entry points of a program ------------------------===//
#include "codegen/memory/Entries.h"

#include "ir/kern/Slots.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

SmallVector<func::FuncOp> stretto::codegen::entryFunctions(ModuleOp module) {
  DenseSet<StringRef> bodies;
  module.walk([&](seq::ScanOp scan) { bodies.insert(scan.getBody()); });
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!bodies.contains(function.getName()) && !function.isDeclaration())
      entries.push_back(function);
  return entries;
}

void stretto::codegen::assignInterface(func::FuncOp entry, InterfaceSizes &sizes) {
  auto slotIn = [&](kern::Arena arena, Type type, int64_t &offset) {
    auto attr = kern::SlotAttr::get(entry.getContext(), arena, offset, 0, 0);
    offset += passes::alignSlot(bytesOf(type));
    return attr;
  };
  bool readsModel = isEntry(entry, seq::EntryKind::evaluation) || isEntry(entry, seq::EntryKind::decoding);
  int64_t input = 0, output = readsModel ? passes::evaluationOffset : passes::lossOffset; // the loss of the step stays
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (!kern::slotOfArgument(entry, i))
      entry.setArgAttr(i, kern::slotAttr, slotIn(kern::Arena::inputs, entry.getArgumentTypes()[i], input));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (!kern::slotOfResult(entry, i))
      entry.setResultAttr(i, kern::slotAttr, slotIn(kern::Arena::outputs, entry.getResultTypes()[i], output));
  sizes.inputs = std::max(sizes.inputs, input);
  sizes.outputs = std::max({sizes.outputs, output, passes::evaluationOffset});
}
