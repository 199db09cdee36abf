//===- RanksJson.cpp - what a run on many ranks needs and takes, as JSON -----------===//
#include "codegen/report/PrintRanks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace stretto::codegen;
using llvm::json::Array;
using llvm::json::Object;

static Object jsonOf(const RankMemory &memory) {
  Object items;
  for (const MemoryItem &item : memory.items)
    items[item.name] = item.bytes;
  return Object{{"items", std::move(items)},
                {"bytes", memory.bytes},
                {"available", memory.available},
                {"fits", memory.fits()},
                {"largest_batch", memory.largestBatch}};
}

static Object jsonOf(const ExchangeLevel &level) {
  return Object{{"ranks", level.members},
                {"across_hosts", level.crossesHosts},
                {"bytes_held", level.bytesHeld},
                {"bytes_sent", level.bytesSent},
                {"messages", level.messages}};
}

static Array jsonOf(llvm::ArrayRef<ExchangeLevel> levels) {
  Array array;
  for (const ExchangeLevel &level : levels)
    array.push_back(jsonOf(level));
  return array;
}

static Object jsonOf(const RankEstimate &estimate, const Exchange &exchange) {
  Array levels;
  for (auto [level, time] : llvm::zip_equal(exchange.levels, estimate.step.levels)) {
    Object json = jsonOf(level);
    json["gradients_seconds"] = time.scatter;
    json["weights_seconds"] = time.gather;
    levels.push_back(std::move(json));
  }
  Array buckets;
  for (const PlannedBucket &bucket : exchange.buckets)
    buckets.push_back(bucket.bytes);
  return Object{{"bytes", exchange.bytes},
                {"buckets", std::move(buckets)},
                {"bytes_owned", exchange.bytesOwned},
                {"levels", std::move(levels)},
                {"squares", jsonOf(estimate.squares.levels)}};
}

static llvm::StringRef nameOf(Overlap overlap) {
  return overlap == Overlap::none ? "none" : overlap == Overlap::scatter ? "gradients" : "gradients and weights";
}

static Object jsonOf(const RankEstimate &estimate, const StepEstimate &step) {
  Array overlaps;
  for (Overlap overlap : allOverlaps) {
    const double exposed = step.exposed(overlap), seconds = step.seconds(overlap);
    overlaps.push_back(Object{{"hidden", nameOf(overlap)},
                              {"seconds", seconds},
                              {"done", overlap == builtOverlap},
                              {"hidden_seconds", step.transfer() - exposed},
                              {"exposed_seconds", exposed},
                              {"efficiency", step.efficiency(overlap)},
                              {"tokens_per_second", static_cast<double>(estimate.tokens()) / seconds}});
  }
  return Object{{"micro_batches", step.microBatches}, {"forward_seconds", step.forward},
                {"backward_seconds", step.backward},  {"adding_seconds", step.adding},
                {"norm_seconds", step.norm},          {"update_seconds", step.update},
                {"waiting_seconds", step.waiting},    {"gradients_seconds", step.scatter},
                {"weights_seconds", step.gather},     {"overlap", std::move(overlaps)}};
}

static Object jsonOf(const Advice &advice) {
  switch (advice.kind) {
  case Advice::nothing:
    return Object{{"change", "nothing"}};
  case Advice::smallerBatch:
    return Object{{"change", "batch"}, {"value", advice.value}};
  case Advice::otherModel:
    return Object{{"change", "model"}};
  case Advice::moreAccumulate:
    return Object{{"change", "accumulate"}, {"value", advice.value}, {"efficiency", advice.efficiency}};
  }
  llvm_unreachable("unknown advice");
}

static Object jsonOf(const Device &device) {
  Object numbers;
  for (const DeviceNumber &number : deviceNumbers()) {
    const Assumption &assumption = device.*number.field;
    numbers[number.name] = Object{{"value", assumption.value}, {"source", assumption.source}};
  }
  return Object{{"name", device.name}, {"title", device.title}, {"numbers", std::move(numbers)}};
}

std::string stretto::codegen::ranksJson(const RankEstimate &estimate) {
  const RankShape &shape = estimate.shape;
  llvm::json::Value json = Object{{"estimated", true},
                                  {"tokens_per_step", estimate.tokens()},
                                  {"tokens_of_rank", estimate.tokensOfRank()},
                                  {"ranks", shape.ranks},
                                  {"hosts", shape.hosts},
                                  {"virtual_ranks", shape.virtualRanks},
                                  {"accumulate", shape.accumulate},
                                  {"batch", estimate.batch},
                                  {"length", estimate.length},
                                  {"memory", jsonOf(estimate.memory)},
                                  {"exchange", jsonOf(estimate, estimate.exchange)},
                                  {"step", jsonOf(estimate, estimate.step)},
                                  {"first", jsonOf(estimate.advice)},
                                  {"device", jsonOf(*estimate.device)}};
  return llvm::formatv("{0:2}", json);
}
