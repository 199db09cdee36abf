// Gradients are added to the same bits by any number of ranks, and what each computes of its rows comes to all.
#include "runtime/dist/data_parallel.h"
#include "runtime/dist/outcomes.h"
#include "runtime/dist/virtual_sum.h"
#include "test/support/memory_group.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/runtime/small.h"

#include <fmt/format.h>
#include <mutex>

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

// The first rows are final last, and the rows in the middle first.
const stretto_bucket buckets[] = {{5, 3}, {8, 3}, {0, 5}};

stretto_program flatProgram(const stretto_kernel &add) {
  stretto_program program{};
  program.kernels = program.add = &add;
  program.kernel_count = 1;
  program.trainable_elements = rows * STRETTO_FLAT_COLUMNS;
  for (stretto_arena arena : {STRETTO_ARENA_ACTIVATIONS, STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_GRADIENTS,
                              STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2, STRETTO_ARENA_ACCUMULATOR})
    program.arena_bytes[arena] = flatBytes;
  program.arena_bytes[STRETTO_ARENA_SQUARES] = STRETTO_FLAT_COLUMNS * 4;
  program.buckets = buckets, program.bucket_count = 3;
  return program;
}

// The gradients of a virtual rank.
std::vector<float> gradientsOf(int64_t virtualRank) {
  return randomReals<float>(rows * STRETTO_FLAT_COLUMNS, static_cast<uint32_t>(virtualRank));
}

using OfRank =
    std::function<void(int rank, Device &, const stretto_program &, const Arenas &, const RowShares &, Exchange &)>;

// Calls `work` on each of `ranks`, which are threads.
void onExchanges(int ranks, const OfRank &work) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add);
  const std::vector<RankLevel> levels = rankLevels(ranks, 1);
  std::vector<std::vector<std::shared_ptr<MemoryGroup::Shared>>> shared(levels.size());
  for (size_t level = 0; level < levels.size(); ++level)
    for (int group = 0; group < ranks / levels[level].size; ++group)
      shared[level].push_back(std::make_shared<MemoryGroup::Shared>(levels[level].size));
  onRanks(ranks, [&](int rank, Group &) {
    const auto device = makeDevice("cpu");
    const RowShares shares = shareRows(program, rank, ranks, 1);
    Arenas arenas(*device, program, true, shares.shard);
    std::vector<std::unique_ptr<Group>> groups;
    for (size_t level = 0; level < levels.size(); ++level)
      groups.push_back(
          std::make_unique<MemoryGroup>(shared[level][levels[level].groupOf(rank)], levels[level].memberOf(rank)));
    Exchange exchange(program, *device, arenas, shares, groups);
    work(rank, *device, program, arenas, shares, exchange);
  });
}

// What a rank owns comes to all, by way of PARAMETERS.
std::vector<float> gatherOwn(Exchange &exchange, const Arenas &arenas, const RowShares &shares) {
  const float *gradients = static_cast<float *>(arenas.base(STRETTO_ARENA_GRADIENTS));
  float *const parameters = static_cast<float *>(arenas.base(STRETTO_ARENA_PARAMETERS));
  for (const RowRange &own : shares.shard.owned)
    std::copy(gradients + own.begin * STRETTO_FLAT_COLUMNS, gradients + own.end * STRETTO_FLAT_COLUMNS,
              parameters + own.begin * STRETTO_FLAT_COLUMNS);
  exchange.startParameters([](const RowRange &, SideStream &) {});
  exchange.finishParameters();
  return {parameters, parameters + rows * STRETTO_FLAT_COLUMNS};
}

// The sum of all virtual ranks, as each of `ranks` has it in the end, in any of them.
std::vector<float> sumOver(int ranks, int64_t virtualRanks) {
  std::mutex mutex;
  std::vector<std::vector<float>> results;
  onExchanges(ranks, [&](int rank, Device &device, const stretto_program &program, const Arenas &arenas,
                         const RowShares &shares, Exchange &exchange) {
    VirtualSum sum(program, device, arenas, virtualRanks / ranks);
    float *gradients = static_cast<float *>(arenas.base(STRETTO_ARENA_GRADIENTS));
    for (int64_t i = 0; i < virtualRanks / ranks; ++i) {
      const std::vector<float> own = gradientsOf(rank * (virtualRanks / ranks) + i);
      std::copy(own.begin(), own.end(), gradients);
      if (i + 1 < virtualRanks / ranks || ranks == 1)
        sum.add(i);
    }
    std::vector<Addend> addends;
    for (void *sums : sum.takePending())
      addends.push_back({sums, false});
    for (int64_t ready = 0; ready < 3; ++ready)
      exchange.send(ready, addends);
    exchange.finishSums(addends);
    std::vector<float> result = ranks == 1 ? std::vector<float>(gradients, gradients + rows * STRETTO_FLAT_COLUMNS)
                                           : gatherOwn(exchange, arenas, shares);
    const std::lock_guard lock(mutex);
    results.push_back(std::move(result));
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

TEST(Exchange, WhatWasAccumulatedIsAddedAndCleared) {
  onExchanges(2, [&](int rank, Device &, const stretto_program &, const Arenas &arenas, const RowShares &shares,
                     Exchange &exchange) {
    const int64_t elements = rows * STRETTO_FLAT_COLUMNS;
    float *const sums = static_cast<float *>(arenas.base(STRETTO_ARENA_ACCUMULATOR));
    std::fill_n(sums, elements, 1.0f + rank);
    std::fill_n(static_cast<float *>(arenas.base(STRETTO_ARENA_GRADIENTS)), elements, 10.0f);
    const Addend accumulated{sums, true};
    exchange.finishSums({&accumulated, 1});
    EXPECT_EQ(std::vector<float>(sums, sums + elements), std::vector<float>(elements));
    EXPECT_EQ(gatherOwn(exchange, arenas, shares), std::vector<float>(elements, 23));
  });
}

// Where ranks have room behind the last row, the backward may still have activations.
TEST(Exchange, WhatLiesBehindTheLastRowStays) {
  onExchanges(4, [&](int rank, Device &, const stretto_program &, const Arenas &arenas, const RowShares &shares,
                     Exchange &exchange) {
    float *const gradients = static_cast<float *>(arenas.base(STRETTO_ARENA_GRADIENTS));
    const int64_t elements = rows * STRETTO_FLAT_COLUMNS, room = shares.shard.room * STRETTO_FLAT_COLUMNS;
    EXPECT_GT(room, elements);
    std::fill_n(gradients, elements, 1.0f);
    std::fill(gradients + elements, gradients + room, 100.0f + rank);
    exchange.finishSums({});
    EXPECT_EQ(std::vector<float>(gradients + elements, gradients + room),
              std::vector<float>(room - elements, 100.0f + rank));
    EXPECT_EQ(gatherOwn(exchange, arenas, shares), std::vector<float>(elements, 4));
  });
}

TEST(Exchange, SquaresComeFromTheirOwners) {
  for (int ranks : {2, 3, 4, 6, 8})
    onExchanges(ranks, [&](int, Device &, const stretto_program &, const Arenas &arenas, const RowShares &shares,
                           Exchange &exchange) {
      float *const squares = static_cast<float *>(arenas.base(STRETTO_ARENA_SQUARES));
      for (const RowRange &own : shares.shard.owned)
        for (int64_t row = own.begin; row < own.end; ++row)
          squares[row] = row + 1;
      exchange.gatherSquares();
      for (int64_t row = 0; row < rows; ++row)
        EXPECT_EQ(squares[row], row + 1) << ranks;
    });
}

// Weights come from the last bucket to the first; who waits for some has them, and what is done behind them was done.
TEST(Exchange, ParametersComeBucketByBucket) {
  onExchanges(2, [&](int, Device &, const stretto_program &, const Arenas &arenas, const RowShares &shares,
                     Exchange &exchange) {
    float *const parameters = static_cast<float *>(arenas.base(STRETTO_ARENA_PARAMETERS));
    for (const RowRange &own : shares.shard.owned)
      std::fill(parameters + own.begin * STRETTO_FLAT_COLUMNS, parameters + own.end * STRETTO_FLAT_COLUMNS, 1.0f);
    std::vector<std::pair<int64_t, int64_t>> done;
    exchange.startParameters([&](const RowRange &rows, SideStream &side) {
      side.call([&done, rows] { done.emplace_back(rows.begin, rows.end); });
    });
    exchange.awaitParameters(1); // rows 0 to 4, in a bucket with 5 to 7
    EXPECT_EQ(std::vector<float>(parameters, parameters + 8 * STRETTO_FLAT_COLUMNS),
              std::vector<float>(8 * STRETTO_FLAT_COLUMNS, 1));
    exchange.awaitParameters(3);
    EXPECT_EQ(std::vector<float>(parameters, parameters + rows * STRETTO_FLAT_COLUMNS),
              std::vector<float>(rows * STRETTO_FLAT_COLUMNS, 1));
    EXPECT_EQ(done, (std::vector<std::pair<int64_t, int64_t>>{{0, 8}, {8, 11}}));
    exchange.finishParameters();
  });
}

// Rows of a bucket that do not divide wait for the later one, on whichever side it is.
TEST(Exchange, BucketsAreWholeStepsOfRows) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add); // buckets of rows 5 to 7, 8 to 10, 0 to 4, with chunks of 2
  const auto rowsOf = [&](int ranks) {
    std::string text;
    for (const SharedBucket &bucket : shareRows(program, 0, ranks, 1).buckets)
      text += fmt::format("{}: {}-{}, ", bucket.number, bucket.rows.begin, bucket.rows.end);
    return text;
  };
  EXPECT_EQ(rowsOf(2), "1: 8-12, 2: 0-8, ");
  EXPECT_EQ(rowsOf(3), "1: 6-12, 2: 0-6, ");
  EXPECT_EQ(rowsOf(4), "1: 8-16, 2: 0-8, ");
  EXPECT_EQ(rowsOf(6), "2: 0-12, ");
}

TEST(Exchange, OnlyTheMomentsOfOwnRowsTakeMemory) {
  const stretto_kernel add = addKernel();
  const stretto_program program = flatProgram(add);
  int64_t sum = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const RowShares shares = shareRows(program, rank, 4, 1);
    sum += bytesOf(STRETTO_ARENA_MOMENT1, program, shares.shard);
    EXPECT_LE(bytesOf(STRETTO_ARENA_MOMENT1, program, shares.shard), 4 * rowBytes);
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
