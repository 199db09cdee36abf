//===- Summary.cpp - what a planned program holds and does ----------------===//
#include "codegen/facts/Summary.h"

#include "codegen/facts/Blocks.h"
#include "codegen/facts/Costs.h"
#include "codegen/facts/Locations.h"
#include "codegen/memory/Entries.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Slots.h"
#include "ir/seq/Documents.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

BlockSummary &BlockSummary::operator+=(const BlockSummary &other) {
  parameters += other.parameters;
  flopsForward += other.flopsForward;
  flopsBackward += other.flopsBackward;
  bytes += other.bytes;
  return *this;
}

BlockSummary &Summary::block(StringRef name) {
  auto *known = llvm::find_if(blocks, [&](auto &one) { return one.first == name; });
  if (known != blocks.end())
    return known->second;
  return blocks.emplace_back(name.str(), BlockSummary()).second;
}

/// Weights of one block may lie in several stacks, each of some of its layers.
static void addParameters(ModuleOp module, Summary &summary) {
  llvm::StringMap<llvm::SmallSet<int64_t, 8>> numbers; // of the layers of a block
  for (auto op : module.getOps<seq::ParameterOp>()) {
    int64_t layers = op.getLayers();
    int64_t rowElements = layers * ShapedType::getNumElements(op.getLayerShape().drop_front());
    for (auto part : op.getParts().getAsRange<seq::PartAttr>()) {
      std::string name = BlockNames::ofParameter(part.getName().getValue());
      for (int64_t i = 0; i < layers; ++i)
        numbers[name].insert(static_cast<int64_t>(op.getFirst()) + i * static_cast<int64_t>(op.getStep()));
      BlockSummary &block = summary.block(name);
      block.layers = numbers[name].size();
      block.parameters += part.getRows() * rowElements;
      summary.trainable += op.getFrozen() ? 0 : part.getRows() * rowElements;
    }
  }
}

static void addWork(func::FuncOp entry, Summary &summary) {
  Timeline timeline(entry);
  BlockNames names(timeline);
  for (func::FuncOp function : timeline.functions()) {
    seq::ScanOp caller = timeline.caller(function);
    int64_t runs = caller ? caller.getTrips() : 1;
    for (Operation &op : function.getBody().front()) {
      Cost cost = costOf(&op);
      if (cost.bytes == 0)
        continue;
      seq::MatmulKind kind = matmulKind(&op);
      double flops = kind == seq::MatmulKind::none ? 0 : static_cast<double>(runs) * matmulFlops(&op);
      for (const auto &[name, share] : names.sharesOf(&op)) {
        BlockSummary &block = summary.block(name);
        block.bytes += std::llround(share * static_cast<double>(runs * cost.bytes));
        (kind == seq::MatmulKind::forward ? block.flopsForward : block.flopsBackward) += share * flops;
      }
    }
  }
}

Summary stretto::codegen::summarize(ModuleOp module) {
  Summary summary;
  summary.masksDocuments = documentsOf(module).has_value();
  summary.loss = lossTermsOf(module);
  addParameters(module, summary);
  for (auto function : module.getOps<func::FuncOp>())
    if (isEntry(function, seq::EntryKind::training))
      addWork(function, summary);
  for (auto &[name, block] : summary.blocks)
    summary.total += block;
  if (auto arenas = module->getAttrOfType<DenseI64ArrayAttr>(kern::arenasAttr))
    for (auto [i, bytes] : llvm::enumerate(arenas.asArrayRef())) {
      auto arena = static_cast<kern::Arena>(i);
      summary.arenas.emplace_back(kern::stringifyArena(arena), bytes);
      summary.planned += arena == kern::Arena::accumulator || arena == kern::Arena::gradients ? 0 : bytes;
    }
  summary.caches = summarizeCaches(module);
  return summary;
}

//===- As JSON ----------------------------------------------------------------===//

static llvm::json::Object jsonOf(StringRef name, const BlockSummary &block) {
  return llvm::json::Object{{"name", name},
                            {"layers", block.layers},
                            {"parameters", block.parameters},
                            {"flops_forward", block.flopsForward},
                            {"flops_backward", block.flopsBackward},
                            {"bytes", block.bytes}};
}

static llvm::json::Object jsonOf(const CacheSummary &cache) {
  return llvm::json::Object{
      {"block", cache.block}, {"operation", cache.operation}, {"layers", cache.layers}, {"bytes", cache.bytes}};
}

/// Everything the operations of a function store, with its slot.
static void listBuffers(func::FuncOp function, llvm::json::Array &buffers) {
  for (Operation &op : function.getBody().front()) {
    auto slots = op.getAttrOfType<ArrayAttr>(kern::slotsAttr);
    if (!slots || seq::isView(&op) || isa<seq::GetParameterOp, seq::GetCacheOp>(op))
      continue;
    for (auto [result, attr] : llvm::zip(op.getResults(), slots)) {
      if (seq::updatedOperand(result))
        continue;
      auto slot = cast<kern::SlotAttr>(attr);
      llvm::json::Object buffer{{"function", function.getName()},
                                {"operation", op.getName().getStringRef()},
                                {"source", sourceLocations(op.getLoc())},
                                {"arena", kern::stringifyArena(slot.getArena())},
                                {"offset", slot.getOffset()},
                                {"bytes", bytesOf(result)}};
      if (slot.getStride())
        buffer["stride"] = slot.getStride();
      buffers.push_back(std::move(buffer));
    }
  }
}

std::string stretto::codegen::summaryJson(ModuleOp module) {
  Summary summary = summarize(module);
  llvm::json::Array blocks, buffers, caches;
  for (auto &[name, block] : summary.blocks)
    blocks.push_back(jsonOf(name, block));
  for (const CacheSummary &cache : summary.caches)
    caches.push_back(jsonOf(cache));
  llvm::json::Object arenas;
  for (auto [name, bytes] : summary.arenas)
    arenas[name] = bytes;
  for (func::FuncOp entry : entryFunctions(module)) {
    const Timeline timeline(entry);
    for (func::FuncOp function : timeline.functions())
      listBuffers(function, buffers);
  }
  llvm::json::Object loss{{"nll_square", summary.loss.nllSquare}, {"z_loss", summary.loss.zLoss}};
  llvm::json::Value json =
      llvm::json::Object{{"blocks", std::move(blocks)},      {"total", jsonOf("total", summary.total)},
                         {"trainable", summary.trainable},   {"arenas", std::move(arenas)},
                         {"planned_bytes", summary.planned}, {"masks_documents", summary.masksDocuments},
                         {"caches", std::move(caches)},      {"loss", std::move(loss)},
                         {"buffers", std::move(buffers)}};
  return llvm::formatv("{0:2}", json);
}
