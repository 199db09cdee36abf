//===- AllocateTest.cpp - offsets of buffers that share an arena ----------------===//
#include "codegen/memory/Allocate.h"

#include <gtest/gtest.h>
#include <random>

using namespace stretto;
using namespace stretto::codegen;

namespace {
BufferRequest buffer(int64_t bytes, llvm::SmallVector<Interval, 2> live) {
  return {LivePiece{0, bytes, std::move(live)}};
}

TEST(Allocate, WhatIsNeverLiveTogetherSharesMemory) {
  Allocation got = allocate({buffer(128, {{0, 1}}), buffer(64, {{2, 3}}), buffer(64, {{1, 2}})}, {}, 64);
  EXPECT_EQ(got.offsets, (llvm::SmallVector<int64_t>{0, 0, 128}));
  EXPECT_EQ(got.bytes, 192);
}

TEST(Allocate, AGapInTimeIsUsed) {
  Allocation got = allocate({buffer(64, {{0, 1}, {8, 9}}), buffer(64, {{3, 4}})}, {}, 64);
  EXPECT_EQ(got.bytes, 64);
}

TEST(Allocate, OffsetsAreAligned) {
  Allocation got = allocate({buffer(100, {{0, 1}}), buffer(10, {{0, 1}})}, {}, 64);
  EXPECT_EQ(got.offsets, (llvm::SmallVector<int64_t>{0, 128}));
  EXPECT_EQ(got.bytes, 192);
}

TEST(Allocate, TakenPiecesStayWhereTheyAre) {
  Allocation got = allocate({buffer(64, {{0, 1}}), buffer(64, {{5, 6}})}, {LivePiece{0, 64, {{4, 9}}}}, 64);
  EXPECT_EQ(got.offsets, (llvm::SmallVector<int64_t>{0, 64}));
}

// Slot i of one stack is read until time 10 - i; slot i of the other, which is twice as wide, is written at that time.
TEST(Allocate, AStackMovesIntoTheSlotsOfAnother) {
  BufferRequest narrow;
  llvm::SmallVector<LivePiece> wide;
  for (int64_t i = 0; i < 4; ++i) {
    narrow.push_back({i * 64, (i + 1) * 64, {{i, 9 - i}}});
    wide.push_back({i * 128, (i + 1) * 128, {{10 - i, 20}}});
  }
  EXPECT_EQ(allocate({narrow}, wide, 64).offsets, (llvm::SmallVector<int64_t>{0}));
  wide[2].live = {{7, 20}}; // slot 0 and 1 of the narrow one lie before it, slot 2 and 3 are done
  EXPECT_EQ(allocate({narrow}, wide, 64).offsets, (llvm::SmallVector<int64_t>{0}));
  wide[1].live = {{7, 20}}; // slot 2, read at time 7, starts where it does
  EXPECT_EQ(allocate({narrow}, wide, 64).offsets, (llvm::SmallVector<int64_t>{512}));
}

TEST(Allocate, SeenFromTheEndPiecesComeInTheOtherOrder) {
  auto got = seenFromEnd({LivePiece{0, 64, {{1, 2}}}, LivePiece{64, 96, {{3, 4}}}}, 128);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(std::pair(got[0].from, got[0].to), std::pair(int64_t(32), int64_t(64)));
  EXPECT_EQ(got[0].live.front(), Interval(3, 4));
  EXPECT_EQ(std::pair(got[1].from, got[1].to), std::pair(int64_t(64), int64_t(128)));
}

TEST(Allocate, WhatIsLiveTogetherNeverOverlaps) {
  std::mt19937 random(3);
  auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  auto piecesFrom = [&](int64_t from, int64_t count) {
    llvm::SmallVector<LivePiece> pieces;
    for (int64_t i = 0; i < count; ++i, from = pieces.back().to) {
      int64_t begin = upTo(20), end = begin + upTo(8), again = end + 2 + upTo(5);
      pieces.push_back({from, from + 32 * (1 + upTo(5)), {{begin, end}, {again, again + upTo(3)}}});
    }
    return pieces;
  };
  for (int round = 0; round < 200; ++round) {
    llvm::SmallVector<BufferRequest> requests;
    for (int64_t i = upTo(25); i >= 0; --i)
      requests.emplace_back(piecesFrom(0, 1 + std::max<int64_t>(0, upTo(6) - 3)));
    llvm::SmallVector<LivePiece> placed = piecesFrom(64 * upTo(4), upTo(3));
    const Allocation got = allocate(requests, placed, 64);
    for (auto [request, offset] : llvm::zip(requests, got.offsets))
      for (const LivePiece &piece : request) {
        EXPECT_EQ(offset % 64, 0);
        EXPECT_LE(piece.to + offset, got.bytes);
        placed.push_back({piece.from + offset, piece.to + offset, piece.live});
      }
    for (auto a = placed.begin(); a != placed.end(); ++a)
      for (auto b = std::next(a); b != placed.end(); ++b)
        EXPECT_FALSE(liveTogether(*a, *b) && a->from < b->to && b->from < a->to) << "round " << round;
  }
}

// By size alone, the last buffer is put above the two it meets; placed first, it leaves room for both in six units.
TEST(Allocate, TheBufferThatEndsLastIsTriedFirst) {
  Allocation got =
      allocate({buffer(256, {{0, 0}}), buffer(192, {{2, 2}}), buffer(192, {{1, 2}}), buffer(128, {{0, 1}})}, {}, 64);
  EXPECT_EQ(got.bytes, 6 * 64);
}
} // namespace
