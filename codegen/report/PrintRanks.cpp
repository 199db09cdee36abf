//===- PrintRanks.cpp - what a run on many ranks needs and takes, as text ----------===//
#include "codegen/report/PrintRanks.h"

#include "llvm/Support/FormatVariadic.h"

using namespace stretto::codegen;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

/// "8 ranks", "1 rank"
static std::string counted(int64_t count, StringRef what) {
  return formatv("{0:N} {1}{2}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

static double milliseconds(double seconds) { return 1e3 * seconds; }

static StringRef nameOf(Overlap overlap) {
  return overlap == Overlap::none      ? "if nothing were hidden"
         : overlap == Overlap::scatter ? "if gradients alone were, by the backward"
                                       : "with weights hidden by the forward, too";
}

static void printTokens(const RankEstimate &estimate, raw_ostream &os) {
  const RankShape &shape = estimate.shape;
  os << formatv("{0:N} tokens per step: ", estimate.tokens());
  if (shape.virtualRanks != shape.ranks)
    os << counted(shape.virtualRanks, "virtual rank") << " on ";
  os << formatv("{0} x {1} x {2} of {3:N} tokens\n", counted(shape.ranks, "rank"),
                counted(shape.accumulate, "micro-batch"), counted(estimate.batch, "sequence"), estimate.length);
}

static void printMemory(const RankMemory &memory, const Device &device, raw_ostream &os) {
  os << "\nmemory of a rank\n";
  for (const MemoryItem &item : memory.items)
    if (item.bytes)
      os << formatv("  {0,-14} {1,18:N} bytes{2}\n", item.name, item.bytes,
                    *item.note ? formatv("  ({0})", item.note).str() : "");
  os << formatv("  {0,-14} {1,18:N} bytes, {2} the {3:N} of {4}\n", "sum", memory.bytes,
                memory.fits() ? "within" : "above", memory.available, device.name);
  if (memory.largestBatch)
    os << formatv("  a batch of {0:N} fits\n", memory.largestBatch);
  else
    os << "  no batch fits\n";
}

static void printLevel(StringRef name, const ExchangeLevel &level, const LevelTime *time, raw_ostream &os) {
  os << formatv("  {0,-20} {1,6} {2,18:N} {3,9:N}", name, level.members, level.bytesSent, level.messages);
  if (time)
    os << formatv(" {0,12:f2} {1,12:f2}", milliseconds(time->scatter), milliseconds(time->gather));
  os << "\n";
}

static void printExchange(const RankEstimate &estimate, raw_ostream &os) {
  if (estimate.exchange.levels.empty())
    return;
  os << formatv("\n{0,-22} {1,6} {2,18} {3,9} {4,12} {5,12}\n", "exchange, each way", "ranks", "bytes sent", "messages",
                "gradients ms", "weights ms");
  for (auto [level, time] : llvm::zip_equal(estimate.exchange.levels, estimate.step.levels))
    printLevel(level.crossesHosts ? "across hosts" : "in a host", level, &time, os);
  os << "  sums of squares, gathered once\n";
  for (const ExchangeLevel &level : estimate.squares.levels)
    printLevel(level.crossesHosts ? "across hosts" : "in a host", level, nullptr, os);
}

static void printStep(const RankEstimate &estimate, raw_ostream &os) {
  const StepEstimate &step = estimate.step;
  os << formatv("\n{0,-46} {1,10}\n", "time of a step", "ms");
  const auto batches = static_cast<double>(step.microBatches);
  const std::pair<StringRef, double> parts[] = {{"forward", batches * step.forward},
                                                {"backward", batches * step.backward},
                                                {"adding gradients of micro-batches", step.adding},
                                                {"norm", step.norm},
                                                {"optimizer, own part", step.update},
                                                {"waiting for the slowest rank", step.waiting},
                                                {"gradients to their owners", step.scatter},
                                                {"weights from their owners", step.gather}};
  for (auto [name, seconds] : parts)
    if (seconds > 0)
      os << formatv("  {0,-44} {1,10:f2}\n", name, milliseconds(seconds));
}

static void printOverlap(Overlap overlap, const RankEstimate &estimate, raw_ostream &os) {
  const StepEstimate &step = estimate.step;
  const double exposed = step.exposed(overlap), hidden = step.transfer() - exposed;
  os << formatv("{0,-46} {1,10:f2} {2,10:f2} {3,10:f2} {4,6:f0} % {5,16:N}\n",
                estimate.shape.ranks == 1 ? "one rank" : nameOf(overlap), milliseconds(step.seconds(overlap)),
                milliseconds(hidden), milliseconds(exposed), 100 * step.efficiency(overlap),
                static_cast<int64_t>(static_cast<double>(estimate.tokens()) / step.seconds(overlap)));
}

static void printOverlaps(const RankEstimate &estimate, raw_ostream &os) {
  os << formatv("\n{0,-46} {1,10} {2,10} {3,10} {4,8} {5,16}\n", "exchange", "step ms", "hidden ms", "exposed ms",
                "work", "tokens/s");
  for (Overlap overlap : allOverlaps)
    if (overlap == Overlap::none || estimate.shape.ranks > 1)
      printOverlap(overlap, estimate, os);
}

static std::string textOf(const RankEstimate &estimate) {
  const Advice &advice = estimate.advice;
  const std::string where =
      formatv("{0:N} tokens a rank at {1}: {2:f0} % of the time is work", estimate.tokensOfRank(),
              counted(estimate.shape.ranks, "rank"), 100 * estimate.step.efficiency(builtOverlap));
  switch (advice.kind) {
  case Advice::nothing:
    return where;
  case Advice::smallerBatch:
    return formatv("the memory of {0} is too small for a batch of {1:N}; --batch {2} fits", estimate.device->name,
                   estimate.batch, advice.value);
  case Advice::otherModel:
    return formatv("the memory of {0} is too small for this model, whatever the batch", estimate.device->name);
  case Advice::moreAccumulate:
    return formatv("{0}; --accumulate {1} gives {2:f0} %", where, advice.value, 100 * advice.efficiency);
  }
  llvm_unreachable("unknown advice");
}

void stretto::codegen::printRanks(const RankEstimate &estimate, raw_ostream &os) {
  printTokens(estimate, os);
  os << formatv("\nestimated for {0} of {1} ({2}) on {3}; nothing here was measured\n",
                counted(estimate.shape.ranks, "rank"), estimate.device->name, estimate.device->title,
                counted(estimate.shape.hosts, "host"));
  printMemory(estimate.memory, *estimate.device, os);
  printExchange(estimate, os);
  printStep(estimate, os);
  printOverlaps(estimate, os);
  os << "\nfirst: " << textOf(estimate) << "\n";
}
