//===- DevicesTest.cpp - the table of devices, and ranks that fit them ------------===//
#include "codegen/scaling/RankRequest.h"

#include <gtest/gtest.h>

using namespace stretto::codegen;

namespace {
TEST(Devices, EachKnowsItsNumbersAndTheirSources) {
  ASSERT_GE(allDevices().size(), 3u);
  for (const Device &device : allDevices())
    for (const DeviceNumber &number : deviceNumbers()) {
      EXPECT_GT((device.*number.field).value, 0) << device.name << " " << number.name;
      EXPECT_FALSE((device.*number.field).source.empty()) << device.name << " " << number.name;
    }
  EXPECT_NE(findDevice("h200"), nullptr);
  EXPECT_EQ(findDevice("abacus"), nullptr);
}

std::string errorOf(const std::string &json) {
  std::string error;
  return readDevices(json, error) ? "" : error;
}

TEST(Devices, MistakesInTheTableAreSaid) {
  EXPECT_EQ(errorOf("[]"), "the table of devices must be an object");
  EXPECT_EQ(errorOf(R"({"x": {}})"), "device 'x' must have a title, a target and numbers");
  EXPECT_EQ(errorOf(R"({"x": {"target": "cuda", "numbers": {}}})"),
            "device 'x' must have a title, a target and numbers");
  EXPECT_EQ(errorOf(R"({"x": {"title": "X", "target": "cuda", "numbers": {"memory_bytes": [0, "data sheet"]}}})"),
            "'memory_bytes' of device 'x' must be [a number above 0, its source]");
  EXPECT_EQ(errorOf(R"({"x": {"title": "X", "target": "cuda", "numbers": {"memory_bytes": [1, ""]}}})"),
            "'memory_bytes' of device 'x' must be [a number above 0, its source]");
  EXPECT_NE(errorOf("{"), "");
}

TEST(Devices, ANumberThatNobodyReadsIsAMistake) {
  std::string numbers = R"("speed": [1, "a guess"])";
  for (const DeviceNumber &number : deviceNumbers())
    numbers += std::string(", \"") + number.name + R"(": [1, "a guess"])";
  EXPECT_EQ(errorOf(R"({"x": {"title": "X", "target": "cuda", "numbers": {)" + numbers + "}}}"),
            "device 'x' must have 19 numbers, but got 20");
}

RankShape resolved(const RankRequest &request) {
  std::string error;
  std::optional<RankShape> shape = resolveRanks(request, *findDevice("h200"), error);
  EXPECT_EQ(error, "");
  return shape.value_or(RankShape());
}

std::string refused(const RankRequest &request) {
  std::string error;
  EXPECT_FALSE(resolveRanks(request, *findDevice("h200"), error));
  return error;
}

TEST(RankRequest, WhatIsLeftOpenIsFilledIn) {
  EXPECT_EQ(resolved({}).ranks, 1);
  EXPECT_EQ(resolved({.ranks = 4}).hosts, 1);
  EXPECT_EQ(resolved({.ranks = 1024}).hosts, 128);
  EXPECT_EQ(resolved({.ranks = 12}).hosts, 2); // of 6 ranks
  EXPECT_EQ(resolved({.ranks = 16}).virtualRanks, 16);
  EXPECT_EQ(resolved({.ranks = 2, .virtualRanks = 8, .accumulate = 3}).microBatchesOfOne(), 12);
}

TEST(RankRequest, HostsMustDivideTheRanksAndHoldThem) {
  EXPECT_EQ(refused({.ranks = 8, .hosts = 3}), "--hosts must divide the 8 ranks, but got 3");
  EXPECT_EQ(refused({.ranks = 64, .hosts = 4}),
            "--hosts must leave at most 8 ranks on a host of h200, but got 4 for 64 ranks");
}

TEST(RankRequest, VirtualRanksAreWholeBlocksOfTheCounter) {
  EXPECT_EQ(refused({.ranks = 4, .virtualRanks = 6}),
            "--virtual-ranks must be the 4 ranks times a power of two, but got 6");
  EXPECT_EQ(refused({.ranks = 2, .virtualRanks = 6}),
            "--virtual-ranks must be the 2 ranks times a power of two, but got 6");
  EXPECT_EQ(refused({.ranks = 4, .virtualRanks = 2}),
            "--virtual-ranks must be the 4 ranks times a power of two, but got 2");
  EXPECT_EQ(resolved({.ranks = 3, .virtualRanks = 6}).virtualRanksOfOne(), 2);
  EXPECT_EQ(resolved({.ranks = 1, .virtualRanks = 6}).virtualRanksOfOne(), 6);
}

TEST(RankRequest, TokensOfAStepCanBeCounted) {
  EXPECT_EQ(refused({.ranks = 1 << 20, .accumulate = 1 << 20}),
            "a step must have at most 2147483648 micro-batches, but got 1048576 virtual ranks with 1048576 each "
            "(--accumulate)");
}
} // namespace
