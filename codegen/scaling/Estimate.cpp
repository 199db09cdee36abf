//===- Estimate.cpp - what a run on many ranks needs and takes, estimated ---------===//
#include "codegen/scaling/Estimate.h"

#include "codegen/scaling/StepTime.h"
#include "ir/seq/BatchLimit.h"

#include <algorithm>
#include <cmath>

using namespace stretto::codegen;

namespace {
/// Below this share of work there is something to change.
constexpr double goodEfficiency = 0.75;

/// Seconds from the end of the backward until the last bucket has come, if each begins when it is final and the one
/// before has come.
double exposedBehindBackward(const StepEstimate &step) {
  double come = 0;
  for (const BucketTime &bucket : step.buckets)
    come = std::max(come, step.backward * (1 - bucket.after)) + bucket.scatter;
  return std::max(0.0, come - step.backward);
}

/// Seconds that the forward waits, if weights come in the reverse order and are needed as far from its beginning as
/// their gradients are final from the end of the backward.
double exposedInForward(const StepEstimate &step) {
  double come = 0, waited = 0;
  for (auto bucket = step.buckets.rbegin(); bucket != step.buckets.rend(); ++bucket) {
    come += bucket->gather;
    waited = std::max(waited, come - step.forward * bucket->after);
  }
  return waited;
}

/// Not more than so many bytes, which a 64-bit number need not hold. Activations grow with the batch by a constant and
/// never fall below the gradients, which lie in them: upwards all of them is taken to grow, downwards what is above the
/// gradients.
double bytesOfActivations(const PlannedProgram &program, int64_t batch) {
  const double share = static_cast<double>(batch) / static_cast<double>(program.batch);
  const auto planned = static_cast<double>(program.activationBytes);
  const auto least = static_cast<double>(program.trainableBytes);
  return share > 1 ? planned * share : least + (planned - least) * share;
}

/// The largest batch whose activations have room, by halving.
int64_t largestBatch(const PlannedProgram &program, int64_t room) {
  int64_t fits = 0, tooLarge = stretto::mostBatchTokens / program.length + 1;
  while (tooLarge - fits > 1) {
    const int64_t middle = fits + (tooLarge - fits) / 2;
    (bytesOfActivations(program, middle) <= static_cast<double>(room) ? fits : tooLarge) = middle;
  }
  return fits;
}

int64_t largestBucket(const Exchange &exchange) {
  int64_t bytes = 0;
  for (const PlannedBucket &bucket : exchange.buckets)
    bytes = std::max(bytes, bucket.bytes);
  return bytes;
}

RankMemory estimateMemory(const PlannedProgram &program, const RankShape &shape, const Exchange &exchange,
                          const Exchange &squares, const Device &device) {
  const bool accumulates = shape.accumulate > 1, exchanges = shape.ranks > 1;
  const int64_t activations = std::max(program.activationBytes, exchange.bytes);
  const double ownPart =
      static_cast<double>(exchange.bytesOwned) / static_cast<double>(std::max<int64_t>(1, program.trainableBytes));
  const auto ownFactors = static_cast<int64_t>(static_cast<double>(program.factorsBytes) * ownPart);
  RankMemory memory;
  memory.items = {
      {"parameters", std::max(program.parameterBytes, exchange.bytes)},
      {"rounded", program.roundedBytes, "bf16 copy of the parameters"},
      {"moments", 2 * exchange.bytesOwned, "own part"},
      {"activations", activations, "gradients are their start"},
      {"accumulator", accumulates ? program.trainableBytes : 0},
      {"pending", pendingLevels(shape.virtualRanksOfOne()) * program.trainableBytes, "gradients of virtual ranks"},
      {"staging", std::max(largestBucket(exchange), exchanges ? squares.bytes : 0), "gradients of other ranks"},
      {"other", program.otherBytes + std::max(program.squaresBytes, squares.bytes) + ownFactors},
      {"libraries", static_cast<int64_t>(device.libraryBytes.value)},
  };
  for (const MemoryItem &item : memory.items)
    memory.bytes += item.bytes;
  memory.available = static_cast<int64_t>(device.memory.value);
  memory.largestBatch = largestBatch(program, memory.available - (memory.bytes - activations));
  return memory;
}

/// Seconds until a collective of a level has begun.
double secondsToStart(const ExchangeLevel &level, const Device &device) {
  const double latency = (level.crossesHosts ? device.acrossLatency : device.insideLatency).value;
  return device.collective.value + latency * std::log2(static_cast<double>(level.members));
}

/// Seconds of a level, in so many collectives, without what is computed there.
double secondsOfTransfer(const ExchangeLevel &level, double collectives, const Device &device) {
  const double rate = (level.crossesHosts ? device.acrossRate : device.insideRate).value;
  return static_cast<double>(level.bytesSent) / rate + collectives * secondsToStart(level, device);
}

void addExchange(StepEstimate &step, const Exchange &exchange, const Device &device) {
  const auto count = static_cast<double>(exchange.buckets.size());
  double start = 0; // of the collectives of a bucket in one direction
  for (const ExchangeLevel &level : exchange.levels) {
    const double transfer = secondsOfTransfer(level, count, device);
    // The parts are read, their sum is written.
    const auto moved = static_cast<double>(level.bytesHeld + level.bytesHeld / level.members);
    step.levels.push_back({transfer + secondsToMove(moved, device), transfer});
    step.scatter += step.levels.back().scatter;
    step.gather += step.levels.back().gather;
    start += secondsToStart(level, device);
  }
  for (const PlannedBucket &bucket : exchange.buckets) {
    const double share = static_cast<double>(bucket.bytes) / static_cast<double>(exchange.bytes);
    step.buckets.push_back(
        {start + share * (step.scatter - count * start), start + share * (step.gather - count * start), bucket.after});
  }
}

/// Of `count` equal steps, as multiples of the deviation: about what the largest of so many normal numbers exceeds
/// their mean by.
double excessOfSlowest(int64_t count) { return std::sqrt(2 * std::log(static_cast<double>(count))); }

StepEstimate estimateStep(const PlannedProgram &program, const RankShape &shape, const Exchange &exchange,
                          const Exchange &squares, const Device &device) {
  const StepWork &work = program.work;
  StepEstimate step;
  step.forward = secondsOf(work.forward, device);
  step.backward = secondsOf(work.backward, device);
  step.microBatches = shape.microBatchesOfOne();
  const auto virtualRanks = static_cast<double>(shape.virtualRanksOfOne());
  const double add = secondsOf(work.accumulate, device);
  const double copy = secondsToMove(2 * static_cast<double>(program.trainableBytes), device);
  step.adding = (virtualRanks - 1) * (add + copy);
  if (shape.accumulate > 1)
    step.adding += static_cast<double>(step.microBatches) * add + virtualRanks * secondsOf(work.take, device);
  step.update = secondsOf(work.update, device) / static_cast<double>(shape.ranks);
  if (shape.ranks > 1)
    step.update += secondsOf(work.round, device);
  step.norm = secondsOf(work.norm, device);
  for (const ExchangeLevel &level : squares.levels)
    step.norm += secondsOfTransfer(level, 1, device);
  step.waiting = step.work() * device.spread.value * excessOfSlowest(shape.ranks);
  addExchange(step, exchange, device);
  return step;
}

/// The least number of micro-batches, doubled from what there is, for which enough of the time is work.
Advice adviseAccumulate(const RankEstimate &estimate, const PlannedProgram &program) {
  constexpr int64_t most = 1024; // beyond it steps have more tokens than any run wants
  Advice best;
  for (RankShape shape = estimate.shape; shape.accumulate <= most / 2;) {
    shape.accumulate *= 2;
    const StepEstimate step = estimateStep(program, shape, estimate.exchange, estimate.squares, *estimate.device);
    best = {Advice::moreAccumulate, shape.accumulate, step.efficiency(builtOverlap)};
    if (best.efficiency >= goodEfficiency)
      break;
  }
  return best;
}

Advice adviseFirst(const RankEstimate &estimate, const PlannedProgram &program) {
  if (!estimate.memory.fits())
    return {estimate.memory.largestBatch ? Advice::smallerBatch : Advice::otherModel, estimate.memory.largestBatch, 0};
  const bool isGood = estimate.step.efficiency(builtOverlap) >= goodEfficiency;
  return isGood || estimate.shape.ranks == 1 ? Advice{} : adviseAccumulate(estimate, program);
}
} // namespace

double StepEstimate::exposed(Overlap overlap) const {
  return (overlap == Overlap::none ? scatter : exposedBehindBackward(*this)) +
         (overlap == Overlap::both ? exposedInForward(*this) : gather);
}

double StepEstimate::seconds(Overlap overlap) const {
  return work() + adding + update + norm + waiting + exposed(overlap);
}

RankEstimate stretto::codegen::estimateRanks(const PlannedProgram &program, const RankShape &shape,
                                             const Device &device) {
  RankEstimate estimate;
  estimate.device = &device;
  estimate.shape = shape;
  estimate.batch = program.batch;
  estimate.length = program.length;
  estimate.exchange = planExchange(program.trainableBytes, program.pieceBytes, shape, program.buckets);
  const int64_t pieces = estimate.exchange.bytes / program.pieceBytes;
  estimate.squares = planExchange(pieces * program.sumBytes, program.sumBytes, shape);
  estimate.memory = estimateMemory(program, shape, estimate.exchange, estimate.squares, device);
  estimate.step = estimateStep(program, shape, estimate.exchange, estimate.squares, device);
  estimate.advice = adviseFirst(estimate, program);
  return estimate;
}
