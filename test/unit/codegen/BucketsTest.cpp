//===- BucketsTest.cpp - gradients that ranks exchange together ---------------===//
#include "codegen/memory/Buckets.h"

#include <gtest/gtest.h>
#include <random>

using namespace stretto::codegen;
using Finals = llvm::SmallVector<FinalBytes>;
using Buckets = llvm::SmallVector<FinalRows>;

namespace {
TEST(Buckets, WhatIsFinalFirstComesFirst) {
  EXPECT_EQ(cutIntoBuckets(Finals{{0, 64, 2}, {64, 128, 1}, {128, 192, 0}}, 192, 16, 64),
            (Buckets{{8, 12, 0}, {4, 8, 1}, {0, 4, 2}}));
}

TEST(Buckets, TheSmallestJoinsTheNeighborThatIsFinalNextToIt) {
  // A norm beside an embedding, which is last, and a head.
  EXPECT_EQ(cutIntoBuckets(Finals{{0, 64, 9}, {64, 80, 1}, {80, 160, 0}}, 160, 16, 64),
            (Buckets{{4, 10, 1}, {0, 4, 9}}));
}

TEST(Buckets, ASharedRowWaitsForTheLaterOne) {
  EXPECT_EQ(cutIntoBuckets(Finals{{0, 72, 1}, {72, 160, 0}}, 160, 16, 32), (Buckets{{5, 10, 0}, {0, 5, 1}}));
  EXPECT_EQ(cutIntoBuckets(Finals{{0, 72, 0}, {72, 160, 1}}, 160, 16, 32), (Buckets{{0, 4, 0}, {4, 10, 1}}));
}

TEST(Buckets, BytesThatNothingWritesGoWithANeighbor) {
  EXPECT_EQ(cutIntoBuckets(Finals{{32, 64, 1}, {96, 128, 0}}, 160, 16, 32), (Buckets{{4, 10, 0}, {0, 4, 1}}));
  EXPECT_EQ(cutIntoBuckets({}, 160, 16, 32), (Buckets{{0, 10, 0}}));
}

// As a scan has it that trains for hundreds of thousands of trips.
TEST(Buckets, ManySmallPiecesAreJoined) {
  constexpr int64_t pieces = 300'000, least = 64 * 1000;
  Finals finals;
  for (int64_t i = 0; i < pieces; ++i)
    finals.push_back({64 * i, 64 * (i + 1), pieces - 1 - i});
  Buckets buckets = cutIntoBuckets(finals, 64 * pieces, 64, least);
  EXPECT_EQ(buckets.back(), (FinalRows{0, buckets.back().end, pieces - 1}));
  for (const FinalRows &bucket : buckets) {
    EXPECT_GE((bucket.end - bucket.first) * 64, least);
    EXPECT_EQ(bucket.time, pieces - 1 - bucket.first); // its first piece is final last
  }
}

// Every row is in one bucket, which is final no earlier than anything in it, and none is smaller than it must be.
TEST(Buckets, RandomLayouts) {
  std::mt19937 random(7);
  auto upTo = [&](int most) { return std::uniform_int_distribution<int64_t>(1, most)(random); };
  for (int round = 0; round < 500; ++round) {
    Finals finals;
    int64_t bytes = 0, least = 64 * upTo(20);
    for (int64_t i = upTo(30); i > 0; --i) {
      finals.push_back({bytes, bytes + 16 * upTo(40), upTo(12)});
      bytes = finals.back().end;
    }
    bytes = llvm::alignTo(bytes, 64);
    Buckets buckets = cutIntoBuckets(finals, bytes, 64, least);
    std::vector<int64_t> times(bytes / 64, -1);
    for (auto [i, bucket] : llvm::enumerate(buckets)) {
      EXPECT_TRUE(i == 0 || buckets[i - 1].time <= bucket.time);
      EXPECT_TRUE(buckets.size() == 1 || (bucket.end - bucket.first + 1) * 64 >= least);
      for (int64_t row = bucket.first; row < bucket.end; ++row) {
        EXPECT_EQ(times[row], -1);
        times[row] = bucket.time;
      }
    }
    EXPECT_EQ(llvm::count(times, -1), 0);
    for (const FinalBytes &piece : finals)
      for (int64_t row = piece.begin / 64; row * 64 < piece.end; ++row)
        EXPECT_GE(times[row], piece.time);
  }
}
} // namespace
