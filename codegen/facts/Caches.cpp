//===- Caches.cpp - what generation keeps from call to call ------------------===//
#include "codegen/facts/Caches.h"

#include "codegen/facts/Blocks.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/SourceNames.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"
#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The operation that takes over the memory of a cache, in the function that reads it or in the body of its scan; null
/// where there is none.
static Operation *updaterOf(Value cache, int64_t &layers) {
  for (OpOperand &use : cache.getUses()) {
    Operation *reader = use.getOwner();
    if (auto scan = dyn_cast<seq::ScanOp>(reader)) {
      layers = scan.getTrips();
      return updaterOf(passes::bodyOf(scan).getArgument(use.getOperandNumber()), layers);
    }
    if (llvm::any_of(reader->getResults(), [&](Value result) { return seq::updatedOperand(result) == &use; }))
      return reader;
  }
  return nullptr;
}

static CacheSummary &entryFor(SmallVectorImpl<CacheSummary> &caches, StringRef block, StringRef operation) {
  auto *known =
      llvm::find_if(caches, [&](const CacheSummary &one) { return one.block == block && one.operation == operation; });
  return known != caches.end() ? *known : caches.emplace_back(CacheSummary{block.str(), operation.str()});
}

SmallVector<CacheSummary> stretto::codegen::summarizeCaches(ModuleOp module) {
  SmallVector<CacheSummary> caches;
  auto functions = module.getOps<func::FuncOp>();
  auto entry =
      llvm::find_if(functions, [](func::FuncOp function) { return isEntry(function, seq::EntryKind::decoding); });
  if (entry == functions.end()) // all of them share the caches
    return caches;
  const Timeline timeline(*entry);
  const BlockNames names(timeline);
  for (auto get : (*entry).getOps<seq::GetCacheOp>()) {
    int64_t layers = 1;
    Operation *updater = updaterOf(get, layers);
    if (!updater)
      continue;
    std::string operation = operationName(updater->getLoc());
    CacheSummary &cache =
        entryFor(caches, names.of(updater), operation.empty() ? updater->getName().getStringRef() : operation);
    cache.layers = layers;
    cache.bytes += bytesOf(get.getType());
  }
  return caches;
}
