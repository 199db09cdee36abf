// Gradients are added to the same bits by any number of ranks, and what each computes of its rows comes to all.
#include "runtime/dist/data_parallel.h"
#include "runtime/dist/outcomes.h"
#include "runtime/dist/virtual_sum.h"
#include "test/support/memory_group.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/runtime/small.h"

using namespace stretto::runtime;
using namespace stretto::test;

namespace {

constexpr int64_t rows = 11, rowBytes = STRETTO_FLAT_COLUMNS * 4, flatBytes = rows * rowBytes, chunkRows = 2;

// Buffers: sum, addend, sum. A chunk has two rows, the last one has one.
void addFloats(void *const *buffers, int64_t begin, int64_t end, void *) {
  float *sum = static_cast<float *>(buffers[0]);
  const float *addend = static_cast<const float *>(buffers[1]);
  const int64_t last = std::min(rows, end * chunkRows) * STRETTO_FLAT_COLUMNS;
  for (int64_t i = begin * chunkRows * STRETTO_FLAT_COLUMNS; i < last; ++i)
    sum[i] += addend[i];
}

const int64_t bufferBytes[] = {flatBytes, flatBytes, flatBytes};
const int64_t chunkBytes[] = {chunkRows * rowBytes, chunkRows *rowBytes, chunkRows *rowBytes};

stretto_kernel addKernel() {
  stretto_kernel kernel{};
  kernel.name = "add", kernel.location = "", kernel.group = "optimizer";
  kernel.function = addFloats;
  kernel.chunks = (rows + chunkRows - 1) / chunkRows;
  kernel.buffers = 3;
  kernel.buffer_bytes = bufferBytes, kernel.chunk_bytes = chunkBytes, kernel.chunk_rows = chunkRows;
  return kernel;
}

stretto_program flatProgram(const stretto_kernel &add) {
  stretto_program program{};
  program.kernels = program.add = &add;
  program.kernel_count = 1;
  program.trainable_elements = rows * STRETTO_FLAT_COLUMNS;
  for (stretto_arena arena : {STRETTO_ARENA_ACTIVATIONS, STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_GRADIENTS,
                              STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
    program.arena_bytes[arena] = flatBytes;
  program.arena_bytes[STRETTO_ARENA_SQUARES] = STRETTO_FLAT_COLUMNS * 4;
  return program;
}

// The gradients of a virtual rank.
std::vector<float> gradientsOf(int64_t virtualRank) {
  return randomReals<float>(rows * STRETTO_FLAT_COLUMNS, static_cast<uint32_t>(virtualRank));
}

// The sum of all virtual ranks, as each of `ranks` has it in the end, in any of them.
std::vector<float> sumOver(int ranks, int64_t virtualRanks) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add);
  const std::vector<RankLevel> levels = rankLevels(ranks, 1);
  std::vector<std::vector<std::shared_ptr<MemoryGroup::Shared>>> shared(levels.size());
  for (size_t level = 0; level < levels.size(); ++level)
    for (int group = 0; group < ranks / levels[level].size; ++group)
      shared[level].push_back(std::make_shared<MemoryGroup::Shared>(levels[level].size));
  std::vector<std::vector<float>> results(ranks);
  onRanks(ranks, [&](int rank, Group &) {
    const auto device = makeDevice("cpu");
    const RowShares shares = shareRows(program, rank, ranks, 1);
    Arenas arenas(*device, program, false, shares.shard);
    std::vector<std::unique_ptr<Group>> groups;
    for (size_t level = 0; level < levels.size(); ++level)
      groups.push_back(
          std::make_unique<MemoryGroup>(shared[level][levels[level].groupOf(rank)], levels[level].memberOf(rank)));
    Exchange exchange(program, *device, arenas, shares, groups);
    VirtualSum sum(program, *device, arenas, virtualRanks / ranks);
    float *gradients = static_cast<float *>(arenas.base(STRETTO_ARENA_GRADIENTS));
    for (int64_t i = 0; i < virtualRanks / ranks; ++i) {
      const std::vector<float> own = gradientsOf(rank * (virtualRanks / ranks) + i);
      std::copy(own.begin(), own.end(), gradients);
      sum.add(i);
    }
    exchange.sumGradients();
    exchange.gather(STRETTO_ARENA_GRADIENTS);
    results[rank].assign(gradients, gradients + rows * STRETTO_FLAT_COLUMNS);
  });
  for (const std::vector<float> &result : results)
    EXPECT_EQ(result, results[0]);
  return results[0];
}

TEST(Exchange, GradientsHaveTheSameBitsOnAnyNumberOfRanks) {
  for (int64_t virtualRanks : {1, 2, 3, 6, 8, 12, 16}) {
    const std::vector<float> alone = sumOver(1, virtualRanks);
    for (int64_t each = 1; each < virtualRanks; each *= 2)
      if (virtualRanks % each == 0)
        EXPECT_EQ(sumOver(static_cast<int>(virtualRanks / each), virtualRanks), alone) << virtualRanks << " " << each;
  }
}

TEST(Exchange, AnotherOrderHasOtherBits) {
  std::vector<float> chain(rows * STRETTO_FLAT_COLUMNS);
  for (int64_t i = 0; i < 8; ++i)
    std::transform(chain.begin(), chain.end(), gradientsOf(i).begin(), chain.begin(), std::plus());
  EXPECT_NE(sumOver(8, 8), chain);
}

TEST(Exchange, OnlyTheMomentsOfOwnRowsTakeMemory) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add);
  int64_t sum = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const RowShares shares = shareRows(program, rank, 4, 1);
    sum += rangeOf(STRETTO_ARENA_MOMENT1, program, shares.shard).bytes;
    EXPECT_LE(rangeOf(STRETTO_ARENA_MOMENT1, program, shares.shard).bytes, 4 * rowBytes);
  }
  EXPECT_EQ(sum, flatBytes);
}

TEST(Exchange, RanksThatCannotShareAreRefused) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add);
  Ranks alone;
  EXPECT_EQ(DataParallel(alone, program, 6).virtualRanks(), 6);
  stretto_program old = program;
  old.add = nullptr;
  EXPECT_EQ(errorOf([&] { shareRows(old, 0, 2, 1); }),
            "a program for several ranks must have kernels that can be launched in parts; compile the model again");
}

TEST(Groups, WhatFailsOnOneFailsOnAll) {
  onRanks(3, [](int rank, Group &group) {
    EXPECT_EQ(errorOf([&] {
                together(group, [&] {
                  if (rank == 1)
                    throw Error("no disk");
                });
              }),
              "rank 1: no disk");
    EXPECT_EQ(errorOf([&] { together(group, [] { throw Error("no steps"); }); }), "no steps");
    EXPECT_EQ(errorOf([&] { together(group, [] {}); }), "");
  });
}

TEST(Groups, TextsOfAllLengthsComeToAll) {
  onRanks(3, [](int rank, Group &group) {
    EXPECT_EQ(gatherTexts(group, std::string(rank * 3, 'x')), (std::vector<std::string>{"", "xxx", "xxxxxx"}));
  });
}

} // namespace
