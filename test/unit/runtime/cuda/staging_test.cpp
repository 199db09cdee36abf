// Copies between host and the made-up GPU, and marks in its stream.
#include "runtime/device/cuda/staging.h"
#include "test/unit/runtime/ops.h"

#include <deque>

using namespace stretto::runtime;

namespace {

class Copies : public testing::Test {
protected:
  Copies() : staging(made()) { cudaMalloc(&device, size); }
  ~Copies() override { cudaFree(device); }

  cudaStream_t made() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  }

  // There and back again.
  void carry(unsigned char value, std::vector<unsigned char> &to) {
    to.assign(size, 0);
    staging.run(CopyInOp{device, std::vector<std::byte>(size, std::byte(value))});
    staging.run(CopyOutOp{to.data(), device, size});
  }

  static constexpr int64_t size = 5'000'000; // no divisor of the memory copies pass through
  cudaStream_t stream = nullptr;
  void *device = nullptr;
  Staging staging;
};

} // namespace

TEST_F(Copies, WhatIsInFrontOfAMarkArrives) {
  std::vector<unsigned char> first, second;
  carry(1, first);
  const Device::Mark mark = staging.mark();
  carry(2, second);
  EXPECT_EQ(first[0], 0);
  staging.waitFor(mark);
  EXPECT_EQ(first[size - 1], 1);
  EXPECT_EQ(second[0], 0);
  staging.waitFor(mark); // once more, which changes nothing
  staging.waitFor(staging.mark());
  EXPECT_EQ(second[size - 1], 2);
}

// Four pairs are more than the memory holds: it is taken round and round, and no copy that is under way is overwritten.
TEST_F(Copies, MemoryIsTakenAgainBehindAMark) {
  std::vector<unsigned char> came[12];
  std::deque<Device::Mark> marks;
  for (unsigned char i = 0; i < 12; ++i) {
    carry(i + 1, came[i]);
    marks.push_back(staging.mark());
    if (marks.size() < 4)
      continue;
    staging.waitFor(marks.front());
    marks.pop_front();
  }
  staging.waitFor(marks.back());
  for (unsigned char i = 0; i < 12; ++i)
    EXPECT_EQ(came[i], std::vector<unsigned char>(size, i + 1));
}

// Without a wait the memory runs out, which is no reason for a copy to get lost.
TEST_F(Copies, AFullMemoryIsWaitedFor) {
  std::vector<unsigned char> came[10];
  for (unsigned char i = 0; i < 10; ++i)
    carry(i + 1, came[i]);
  staging.waitFor(staging.mark());
  for (unsigned char i = 0; i < 10; ++i)
    EXPECT_EQ(came[i], std::vector<unsigned char>(size, i + 1));
}
