//===- EstimateTest.cpp - what is concluded from work, devices and ranks ----------===//
#include "codegen/scaling/Estimate.h"
#include "codegen/scaling/StepTime.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stretto::codegen;

namespace {
/// Round numbers: a second for 1e9 bytes or 1e9 FLOP; what is called a latency takes no time.
Device plainDevice() {
  Device device;
  for (const DeviceNumber &number : deviceNumbers())
    device.*number.field = {1e9, "a test"};
  device.name = "plain";
  device.memory.value = 100e9;
  device.kernelShare.value = 0.5;
  device.acrossRate.value = 1e8;
  device.hostRanks.value = 8;
  for (Assumption *none : {&device.leastKernel, &device.betweenKernels, &device.insideLatency, &device.acrossLatency,
                           &device.collective, &device.spread, &device.libraryBytes})
    none->value = 0;
  return device;
}

Work moves(int64_t bytes) { return {.bytes = bytes}; }

/// 8e9 bytes of weights; 8 s forward, 32 s backward, 32 s of update, 16 s to add gradients.
PlannedProgram plainProgram() {
  PlannedProgram program;
  program.batch = 4;
  program.length = 10;
  program.parameterBytes = program.trainableBytes = 8'000'000'000;
  program.pieceBytes = 2000;
  program.sumBytes = 4;
  program.activationBytes = 16'000'000'000;
  program.work.forward = {moves(4'000'000'000)};
  program.work.backward = {moves(16'000'000'000)};
  program.work.update = {moves(16'000'000'000)};
  program.work.accumulate = {moves(8'000'000'000)};
  program.work.round = {moves(500'000'000)};
  return program;
}

int64_t bytesOf(const RankEstimate &estimate, std::string_view name) {
  for (const MemoryItem &item : estimate.memory.items)
    if (item.name == name)
      return item.bytes;
  ADD_FAILURE() << name;
  return -1;
}

TEST(StepTime, TheSlowestOfArithmeticAndMemoryCounts) {
  Device device = plainDevice();
  device.matmulBf16.value = 4e9;
  device.matmulF32.value = 1e9;
  device.attention.value = 2e9; // in bf16
  const Work matmul{WorkKind::matmul, false, "f32", 3e9, 1'000'000'000, 2};
  EXPECT_DOUBLE_EQ(secondsOf({matmul}, device), 6);
  EXPECT_DOUBLE_EQ(secondsOf({{WorkKind::matmul, false, "bf16", 3e9, 1'000'000'000, 2}}, device), 2);
  EXPECT_DOUBLE_EQ(secondsOf({{WorkKind::attention, false, "f32", 3e9, 1, 1}}, device), 6);
  EXPECT_DOUBLE_EQ(secondsOf({moves(1'000'000'000)}, device), 2);
}

TEST(StepTime, AKernelTakesItsLeastAndTheGapBehindIt) {
  Device device = plainDevice();
  device.leastKernel.value = 3;
  device.betweenKernels.value = 1;
  EXPECT_DOUBLE_EQ(secondsOf({moves(10), moves(10)}, device), 8);
}

TEST(Estimate, ARankHoldsItsPartOfTheMoments) {
  const Device device = plainDevice();
  EXPECT_EQ(bytesOf(estimateRanks(plainProgram(), {}, device), "moments"), 16'000'000'000);
  EXPECT_EQ(bytesOf(estimateRanks(plainProgram(), {.ranks = 8, .virtualRanks = 8}, device), "moments"), 2'000'000'000);
}

TEST(Estimate, VirtualRanksAndMicroBatchesTakeMemory) {
  const Device device = plainDevice();
  RankShape shape{.ranks = 2, .virtualRanks = 16};
  RankEstimate estimate = estimateRanks(plainProgram(), shape, device);
  EXPECT_EQ(bytesOf(estimate, "pending"), 3 * 8'000'000'000);
  EXPECT_EQ(bytesOf(estimate, "accumulator"), 0);
  shape.accumulate = 2;
  EXPECT_EQ(bytesOf(estimateRanks(plainProgram(), shape, device), "accumulator"), 8'000'000'000);
}

TEST(Estimate, GradientsOfOthersAreStagedWhereRanksExchange) {
  const Device device = plainDevice();
  EXPECT_EQ(bytesOf(estimateRanks(plainProgram(), {}, device), "staging"), 0);
  EXPECT_EQ(bytesOf(estimateRanks(plainProgram(), {.ranks = 2, .virtualRanks = 2}, device), "staging"), 8'000'000'000);
}

TEST(Estimate, BuffersHaveRoomForTheSamePartOfEachRank) {
  const Device device = plainDevice();
  PlannedProgram program = plainProgram();
  program.activationBytes = program.trainableBytes;
  program.pieceBytes = 3'000'000'000;
  program.sumBytes = 6'000'000;
  const RankEstimate estimate = estimateRanks(program, {.ranks = 2, .virtualRanks = 2}, device);
  EXPECT_EQ(bytesOf(estimate, "moments"), 12'000'000'000);
  for (const char *name : {"parameters", "activations", "staging"})
    EXPECT_EQ(bytesOf(estimate, name), 12'000'000'000) << name;
  EXPECT_EQ(bytesOf(estimate, "other"), 24'000'000);                                 // sums of squares
  EXPECT_EQ(bytesOf(estimateRanks(program, {}, device), "moments"), 16'000'000'000); // nothing is padded for one rank
}

TEST(Estimate, TokensAreThoseOfAllRanks) {
  const Device device = plainDevice();
  const RankShape shape{.ranks = 2, .virtualRanks = 4, .accumulate = 3};
  EXPECT_EQ(estimateRanks(plainProgram(), shape, device).tokens(), 4 * 3 * 4 * 10);
}

TEST(Estimate, TheLargestBatchHasRoom) {
  Device device = plainDevice();
  device.memory.value += 0.1e9; // for the sums of squares
  // 8e9 of parameters and 16e9 of moments are always there; 16e9 of activations, 8e9 of which are gradients.
  EXPECT_EQ(estimateRanks(plainProgram(), {}, device).memory.largestBatch, 19); // (100 - 24) / 16 x 4
  device.memory.value = 36.1e9;
  const RankEstimate estimate = estimateRanks(plainProgram(), {}, device);
  EXPECT_FALSE(estimate.memory.fits());
  EXPECT_EQ(estimate.memory.largestBatch, 2); // 24 + 8 + 2 / 4 x 8
  EXPECT_EQ(estimate.advice.kind, Advice::smallerBatch);
  EXPECT_EQ(estimate.advice.value, 2);
  device.memory.value = 30e9;
  EXPECT_EQ(estimateRanks(plainProgram(), {}, device).advice.kind, Advice::otherModel);
}

TEST(Estimate, WeightsMayBeTooLargeForAnyBatch) {
  const Device device = plainDevice();
  PlannedProgram program = plainProgram();
  program.batch = 1;
  program.parameterBytes = program.trainableBytes = program.activationBytes = 500'000'000'000;
  EXPECT_EQ(estimateRanks(program, {}, device).memory.largestBatch, 0);
}

TEST(Estimate, LevelsTakeTheTimeOfTheirLinksAndSums) {
  const Device device = plainDevice();
  const RankEstimate estimate = estimateRanks(plainProgram(), {.ranks = 4, .hosts = 2, .virtualRanks = 4}, device);
  ASSERT_EQ(estimate.step.levels.size(), 2u);
  EXPECT_DOUBLE_EQ(estimate.step.levels[0].gather, 4);       // half of 8e9 at 1e9
  EXPECT_DOUBLE_EQ(estimate.step.levels[0].scatter, 4 + 24); // 8e9 read, 4e9 written at half of 1e9
  EXPECT_DOUBLE_EQ(estimate.step.levels[1].gather, 20);      // a quarter at 1e8
}

TEST(Estimate, CollectivesOfEachLevelHaveToStart) {
  Device device = plainDevice();
  device.collective.value = 1;
  device.insideLatency.value = 2;
  const StepEstimate step = estimateRanks(plainProgram(), {.ranks = 8, .virtualRanks = 8}, device).step;
  EXPECT_DOUBLE_EQ(step.gather, 7 + 7); // the second: 1 + 2 x 3, for groups of 2^3
}

// So many equal buckets, final at equal distances.
StepEstimate bucketed(double scatter, double gather, int count) {
  StepEstimate step;
  step.backward = 10;
  step.forward = 6;
  step.scatter = scatter;
  step.gather = gather;
  for (int i = 1; i <= count; ++i)
    step.buckets.push_back({scatter / count, gather / count, 1 - static_cast<double>(i) / count});
  return step;
}

TEST(Estimate, WhatIsSentDuringTheBackwardIsHiddenButForTheLastBucket) {
  EXPECT_DOUBLE_EQ(bucketed(8, 8, 4).exposed(Overlap::none), 16);
  EXPECT_DOUBLE_EQ(bucketed(8, 8, 4).exposed(Overlap::scatter), 2 + 8);
  // More than the backward hides: it has to wait for the first bucket.
  EXPECT_DOUBLE_EQ(bucketed(20, 8, 4).exposed(Overlap::scatter), 20 - 7.5 + 8);
  EXPECT_DOUBLE_EQ(bucketed(20, 8, 4).exposed(Overlap::both), 20 - 7.5 + 8 - 4.5);
  EXPECT_DOUBLE_EQ(bucketed(20, 8, 1).exposed(Overlap::both), 28);
}

TEST(Estimate, EachBucketStartsItsOwnCollectives) {
  Device device = plainDevice();
  device.collective.value = 1;
  PlannedProgram program = plainProgram();
  const RankShape shape{.ranks = 2, .virtualRanks = 2};
  const double one = estimateRanks(program, shape, device).step.gather;
  program.buckets = {{4'000'000'000, 4'000'000'000, 0.5}, {0, 4'000'000'000, 0}};
  const StepEstimate step = estimateRanks(program, shape, device).step;
  ASSERT_EQ(step.buckets.size(), 2u);
  EXPECT_DOUBLE_EQ(step.gather, one + 1);
  EXPECT_DOUBLE_EQ(step.buckets[0].gather + step.buckets[1].gather, step.gather);
  EXPECT_DOUBLE_EQ(step.buckets[0].after, 0.5);
}

TEST(Estimate, AStepIsTheSumOfItsParts) {
  Device device = plainDevice();
  const RankShape shape{.ranks = 2, .virtualRanks = 4, .accumulate = 2};
  const StepEstimate step = estimateRanks(plainProgram(), shape, device).step;
  EXPECT_EQ(step.microBatches, 4);
  EXPECT_DOUBLE_EQ(step.work(), 4 * (8 + 32));
  EXPECT_DOUBLE_EQ(step.adding, 16 * (4 + 1) + 32); // 4 micro-batches; a virtual rank is kept, and added
  EXPECT_DOUBLE_EQ(step.update, 16 + 1);            // half of it, and the bf16 copy
  EXPECT_DOUBLE_EQ(step.norm, 0.008);               // half of 16e6 bytes of sums
  EXPECT_DOUBLE_EQ(step.seconds(Overlap::none), 160 + 112 + 17 + 0.008 + step.scatter + step.gather);
}

TEST(Estimate, OneRankMakesTheCopyInBf16AsItUpdates) {
  const Device device = plainDevice();
  EXPECT_DOUBLE_EQ(estimateRanks(plainProgram(), {}, device).step.update, 32);
}

TEST(Estimate, TheSlowestOfManyRanksIsWaitedFor) {
  Device device = plainDevice();
  device.spread.value = 0.01;
  EXPECT_DOUBLE_EQ(estimateRanks(plainProgram(), {}, device).step.waiting, 0);
  const StepEstimate step = estimateRanks(plainProgram(), {.ranks = 8, .virtualRanks = 8}, device).step;
  EXPECT_DOUBLE_EQ(step.waiting, 40 * 0.01 * std::sqrt(2 * std::log(8)));
}

TEST(Estimate, TooLittleWorkIsAnsweredByMoreMicroBatches) {
  Device device = plainDevice();
  device.insideRate.value = 2e8;
  PlannedProgram program = plainProgram();
  program.work.accumulate.clear();
  const RankShape shape{.ranks = 8, .virtualRanks = 8};
  const RankEstimate estimate = estimateRanks(program, shape, device);
  ASSERT_EQ(estimate.advice.kind, Advice::moreAccumulate);
  EXPECT_EQ(estimate.advice.value, 8);
  RankShape better = shape;
  better.accumulate = estimate.advice.value;
  const RankEstimate advised = estimateRanks(program, better, device);
  EXPECT_GE(advised.step.efficiency(builtOverlap), 0.75);
  EXPECT_DOUBLE_EQ(advised.step.efficiency(builtOverlap), estimate.advice.efficiency);
  EXPECT_EQ(advised.advice.kind, Advice::nothing);
  better.accumulate /= 2;
  EXPECT_LT(estimateRanks(program, better, device).step.efficiency(builtOverlap), 0.75);
}
} // namespace
