// Batches of a task or a file as the trainer reads them.
#include "runtime/train/batches.h"

#include "runtime/train/memory.h"
#include "runtime/train/peak.h"
#include "runtime/train/progress.h"
#include "runtime/train/safetensors.h"
#include "test/support/memory_group.h"
#include "test/unit/runtime/small.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// tokens[row, t] = 10 * sample + t; the sample's parity is the mask.
class Numbers final : public Task {
public:
  std::string name() const override { return "numbers"; }
  int64_t length() const override { return 3; }
  int64_t vocabulary() const override { return 1000; }
  std::map<std::string, std::string> settings() const override { return {{"a", "b"}}; }
  std::map<std::string, std::string> contents() const override { return digests; }
  void fill(uint64_t, Stream, uint64_t first, BatchView batch) const override {
    if (first >= 100)
      throw Error("no more numbers");
    for (int64_t i = 0; i < batch.batch * batch.length; ++i) {
      const int64_t sample = static_cast<int64_t>(first) + i / batch.length;
      batch.tokens[i] = batch.targets[i] = static_cast<int32_t>(10 * sample + i % batch.length);
      batch.mask[i] = sample % 2;
    }
  }
  std::vector<Score> score(uint64_t, uint64_t, const BatchView &, const Predictions &) const override { return {}; }
  std::string describe(const BatchView &, int64_t) const override { return ""; }

  std::map<std::string, std::string> digests;
};

std::string writeTokens(const TemporaryFolder &folder, std::vector<TensorEntry> entries) {
  static const std::vector<int64_t> zeros(64);
  writeSafetensors(folder / "t", std::move(entries), [](const TensorEntry &) { return zeros.data(); });
  return folder / "t";
}

} // namespace

TEST(Batches, WeightsShareTheWholeStep) {
  const auto source = taskSource(std::make_unique<Numbers>(), 0);
  TokenBlock block = source->make(Stream::Train, 1, 3, 3);
  EXPECT_EQ(block.weights, (std::vector<double>{1.0 / 6, 1.0 / 6, 1.0 / 6, 0, 0, 0, 1.0 / 6, 1.0 / 6, 1.0 / 6}));
}

TEST(Batches, TheIdentityHoldsTheContentsOfFiles) {
  auto identity = [](std::map<std::string, std::string> digests) {
    auto task = std::make_unique<Numbers>();
    task->digests = std::move(digests);
    return taskSource(std::move(task), 0)->identity();
  };
  EXPECT_EQ(identity({}), "task numbers a=b");
  EXPECT_EQ(identity({{"a", ""}}), "task numbers a=b");
  EXPECT_EQ(identity({{"a", "12ef"}, {"c", ""}, {"d", "34"}}),
            "task numbers a=b, contents of a 12ef, contents of d 34");
}

TEST(Batches, ThePrefetcherKeepsTheOrderAndStartsAnywhere) {
  const auto source = taskSource(std::make_unique<Numbers>(), 0);
  const auto alone = groupOfOne();
  Prefetcher data(*source, 3, {2, 0, 2}, 3, *alone);
  for (int64_t step = 3; step < 20; ++step)
    EXPECT_EQ(data.next().tokens[0], 10 * 2 * step);
}

TEST(Batches, ThePrefetcherPassesErrorsOn) {
  const auto source = taskSource(std::make_unique<Numbers>(), 0);
  const auto alone = groupOfOne();
  Prefetcher data(*source, 49, {2, 0, 2}, 3, *alone);
  EXPECT_EQ(data.next().tokens[0], 980);
  EXPECT_EQ(errorOf([&] { data.next(); }), "no more numbers");
}

// One rank is through with the last block before its thread looks; that of the other one waits for it.
TEST(Batches, PrefetchersOfRanksEndTogether) {
  const auto source = taskSource(std::make_unique<Numbers>(), 0);
  for (int64_t round = 0; round < 20; ++round)
    onRanks(2, [&](int rank, Group &ranks) {
      Prefetcher data(*source, 3, {2, rank, 1}, 3, ranks);
      EXPECT_EQ(data.next().tokens[0], 10 * (6 + rank));
      if (rank == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
}

TEST(Batches, AFileIsReadInACircle) {
  TemporaryFolder folder;
  const std::vector<int32_t> tokens = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<uint8_t> mask = {1, 0, 1, 1, 1, 1, 1, 1};
  writeSafetensors(folder / "t",
                   {{"tokens", "I32", {4, 2}, 0, 0}, {"targets", "I32", {4, 2}, 0, 0}, {"mask", "U8", {4, 2}, 0, 0}},
                   [&](const TensorEntry &entry) {
                     return entry.name == "mask" ? static_cast<const void *>(mask.data()) : tokens.data();
                   });
  const auto source = fileSource(folder / "t", 2, 2, 8);
  const TokenBlock block = source->make(Stream::Train, 6, 4, 2);
  EXPECT_EQ(block.tokens, (std::vector<int32_t>{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(block.weights[5], 0);
  EXPECT_EQ(block.weights[0], 1.0 / 7);
}

TEST(Batches, AFileThatDoesNotFitIsRefused) {
  TemporaryFolder folder;
  auto error = [&](std::vector<TensorEntry> entries) {
    const std::string path = writeTokens(folder, std::move(entries));
    return errorOf([&] { fileSource(path, 2, 2, 8); });
  };
  const std::string name = folder / "t";
  EXPECT_EQ(error({{"tokens", "I32", {2, 2}, 0, 0}}), "'" + name + "' must hold a tensor 'targets', but does not");
  EXPECT_EQ(error({{"tokens", "I64", {3, 2}, 0, 0}, {"targets", "I64", {3, 2}, 0, 0}}),
            "'tokens' in '" + name + "' must have shape [multiple of batch=2, length=2], but got [3, 2]");
  EXPECT_EQ(error({{"tokens", "F32", {2, 2}, 0, 0}, {"targets", "I32", {2, 2}, 0, 0}}),
            "'tokens' in '" + name + "' must be I32 or I64, but got F32");
  EXPECT_EQ(error({{"tokens", "I32", {2, 2}, 0, 0}, {"targets", "I32", {2, 2}, 0, 0}}), "");
  EXPECT_EQ(error({{"tokens", "I32", {2, 2}, 0, 0}, {"targets", "I32", {2, 2}, 0, 0}, {"Mask", "I32", {2, 2}, 0, 0}}),
            "'" + name +
                "' must hold no tensors but tokens, targets, mask, weights, positions, but has 'Mask'; did you "
                "mean 'mask'?");
}

// Rows without a token that counts are fine, and so are weights below 0.
TEST(Batches, SomeTokenOfAFileCounts) {
  TemporaryFolder folder;
  const std::string path = folder / "t";
  const std::vector<int32_t> tokens(4);
  const auto error = [&](const std::vector<uint8_t> &mask, const std::vector<double> &weights) {
    std::vector<TensorEntry> entries = {{"tokens", "I32", {2, 2}, 0, 0}, {"targets", "I32", {2, 2}, 0, 0}};
    if (!weights.empty())
      entries.push_back({"weights", "F64", {2, 2}, 0, 0});
    if (!mask.empty())
      entries.push_back({"mask", "U8", {2, 2}, 0, 0});
    writeSafetensors(path, entries, [&](const TensorEntry &entry) {
      return entry.name == "mask"      ? static_cast<const void *>(mask.data())
             : entry.name == "weights" ? static_cast<const void *>(weights.data())
                                       : tokens.data();
    });
    return errorOf([&] { fileSource(path, 2, 2, 8); });
  };
  EXPECT_EQ(error({0, 0, 1, 0}, {}), "");
  EXPECT_EQ(error({0, 0, 0, 0}, {}), "'mask' in '" + path + "' must mark at least one token, but marks none");
  EXPECT_EQ(error({}, {0, -1, 0, 0}), "");
  const std::string none = "'weights' in '" + path + "' must weigh at least one token, but are all 0";
  EXPECT_EQ(error({}, {0, 0, 0, 0}), none);
  EXPECT_EQ(error({1, 1, 1, 1}, {0, 0, 0, 0}), none);
  EXPECT_EQ(error({1, 0, 0, 0}, {0, 1, 1, 1}), none);
  EXPECT_EQ(error({0, 1, 1, 1}, {1, 0, 0, 0}), none);
  EXPECT_EQ(error({}, {INFINITY, 1, 1, 1}), "'weights' in '" + path + "' must be finite floats, but got inf at [0, 0]");
  EXPECT_EQ(error({}, {1, 1, 1e40, 1}), "'weights' in '" + path + "' must be finite floats, but got 1e+40 at [1, 0]");
}

// Where a file has weights, those that are 0 do not count.
TEST(Batches, WeightsSayWhichTargetsCount) {
  TemporaryFolder folder;
  const std::vector<int32_t> tokens(4);
  const std::vector<float> weights = {0, 0, 0, -1};
  writeSafetensors(
      folder / "t",
      {{"tokens", "I32", {2, 2}, 0, 0}, {"targets", "I32", {2, 2}, 0, 0}, {"weights", "F32", {2, 2}, 0, 0}},
      [&](const TensorEntry &entry) {
        return entry.name == "weights" ? static_cast<const void *>(weights.data()) : tokens.data();
      });
  const auto source = fileSource(folder / "t", 1, 2, 8);
  EXPECT_EQ(source->make(Stream::Train, 0, 1, 2).counted, 0);
  EXPECT_EQ(source->make(Stream::Train, 1, 1, 2).counted, 1);
}

TEST(Batches, WhatAMaskLeavesOutWeighsNothing) {
  TemporaryFolder folder;
  const std::vector<int32_t> tokens(4);
  const std::vector<uint8_t> mask = {1, 0, 2, 1};
  const std::vector<float> weights = {0.5, 0.5, -1, 0};
  writeSafetensors(folder / "t",
                   {{"tokens", "I32", {2, 2}, 0, 0},
                    {"targets", "I32", {2, 2}, 0, 0},
                    {"weights", "F32", {2, 2}, 0, 0},
                    {"mask", "U8", {2, 2}, 0, 0}},
                   [&](const TensorEntry &entry) {
                     return entry.name == "mask"      ? static_cast<const void *>(mask.data())
                            : entry.name == "weights" ? static_cast<const void *>(weights.data())
                                                      : tokens.data();
                   });
  const TokenBlock block = fileSource(folder / "t", 2, 2, 8)->make(Stream::Train, 0, 2, 2);
  EXPECT_EQ(block.weights, (std::vector<double>{0.5, 0, -1, 0}));
  EXPECT_EQ(block.mask, (std::vector<uint8_t>{1, 0, 1, 1}));
}

TEST(Memory, ARunThatDoesNotFitIsRefusedWithTheLargestBatch) {
  stretto_program program{};
  program.batch = 8;
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = program.activation_bytes = 8 << 20;
  program.arena_bytes[STRETTO_ARENA_PARAMETERS] = 1 << 20;
  const MemoryPlan plan = planMemory(program, {}, 0);
  EXPECT_EQ(plan.total(), 9 << 20);
  EXPECT_NO_THROW(checkMemory(program, plan, {9 << 20}));
  const std::string error = errorOf([&] { checkMemory(program, plan, {4 << 20}); });
  EXPECT_NE(error.find("must fit into 4.00 MiB of memory, but needs 9.00 MiB at batch 8"), std::string::npos) << error;
  EXPECT_NE(error.find("the largest batch that fits is about 3: compile again with --batch 3 (and --accumulate 3"),
            std::string::npos)
      << error;
  program.length = 256;
  const std::string row = errorOf([&] { checkMemory(program, plan, {3 << 19}); });
  EXPECT_NE(row.find("not even one sequence fits; the largest length that fits is about 128"), std::string::npos)
      << row;
  EXPECT_NE(errorOf([&] { checkMemory(program, plan, {1 << 19}); }).find("alone need 1.00 MiB"), std::string::npos);
}

TEST(Memory, RanksShareWhatThereIs) {
  stretto_program program{};
  program.batch = 8;
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = program.activation_bytes = 8 << 20;
  MemoryUse use;
  use.batches = 1 << 20;
  const MemoryPlan plan = planMemory(program, use, 0);
  EXPECT_EQ(plan.total(), 9 << 20);
  EXPECT_NO_THROW(checkMemory(program, plan, {18 << 20, 2}));
  const std::string error = errorOf([&] { checkMemory(program, plan, {10 << 20, 2}); });
  EXPECT_NE(
      error.find("a rank must fit into 5.00 MiB of memory, its part of 10.00 MiB for 2 ranks, but needs 9.00 MiB"),
      std::string::npos)
      << error;
  EXPECT_NE(error.find("batches 1.00 MiB"), std::string::npos) << error;
  EXPECT_NE(error.find("the largest batch that fits is about 4"), std::string::npos) << error;
}

TEST(PeakRate, AStepThatBeatsItRaisesIt) {
  PeakRate peak(100);
  EXPECT_DOUBLE_EQ(peak.utilisation(50, 1, 1), 0.5);
  EXPECT_DOUBLE_EQ(peak.utilisation(50, 0.25, 1), 0.25); // 200 operations a second were reached
  EXPECT_DOUBLE_EQ(peak.operationsPerSecond(), 200);
  EXPECT_DOUBLE_EQ(peak.utilisation(50, 0.125, 0.125), 1);
  PeakRate unknown(0);
  EXPECT_EQ(unknown.utilisation(50, 1, 1), 0);
}

TEST(Progress, TheLineHoldsEverything) {
  ProgressState state;
  state.step = 5, state.steps = 10, state.loss = 2.5, state.learningRate = 1e-3, state.tokensPerSecond = 1234;
  state.score = "accuracy 50.0 %";
  state.mfu = 0.25;
  state.etaSeconds = 3725, state.resident = 3 << 20;
  EXPECT_EQ(
      progressLine(state),
      "step 5/10  loss 2.5000  accuracy 50.0 %  lr 1.00e-03  1234 tok/s  MFU 25.0 %  ETA 1:02:05  3.00 MiB resident");
}
