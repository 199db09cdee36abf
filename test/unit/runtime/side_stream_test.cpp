// Work on a second stream of a device: in order, beside the first, and with its failures told.
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/device/cpu/side_thread.h"
#include "test/unit/runtime/small.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>

using namespace stretto::runtime;
using namespace stretto::test;

namespace {

class SideStreams : public testing::TestWithParam<const char *> {
protected:
  const std::unique_ptr<Device> device = makeDevice(GetParam());
  const std::unique_ptr<SideStream> side = device->sideStream();
};

TEST_P(SideStreams, WorkIsDoneInOrder) {
  std::string done;
  char from[] = "copy", to[] = "----";
  side->follow();
  side->call([&] { done += "a"; });
  CopyOp copy{{stretto_copy_args{.rows = 2, .row_bytes = 1, .from_stride = 2, .to_stride = 1, .from = {}, .to = {}}}};
  copy.from = from, copy.to = to;
  side->submit(copy);
  side->call([&] { done += to; });
  side->submit(ZeroOp{to, 1});
  side->join();
  device->wait();
  EXPECT_EQ(done, "acp--");
  EXPECT_EQ(to[0], 0);
}

TEST_P(SideStreams, AFailureIsToldOnceAndEndsWhatWaits) {
  bool isDone = false;
  const std::string told = errorOf([&] {
    side->call([] { throw Error("a link is cut"); });
    side->call([&] { isDone = true; });
    side->join();
    device->wait();
  });
  EXPECT_EQ(told, "a link is cut");
  EXPECT_FALSE(isDone);
  side->call([&] { isDone = true; });
  side->join();
  device->wait();
  EXPECT_TRUE(isDone);
}

INSTANTIATE_TEST_SUITE_P(Devices, SideStreams, testing::Values("cpu", "null-async"),
                         [](const auto &name) { return std::string(name.param).substr(0, 4); });

TEST(SideThread, ItRunsBesideTheDevice) {
  const std::unique_ptr<Device> device = makeDevice("cpu");
  const auto side = std::make_unique<SideThread>();
  std::atomic<bool> isOver = false;
  side->call([&] {
    while (!isOver)
      std::this_thread::yield();
  });
  int number = 0;
  device->submit(CopyInOp{&number, std::vector<std::byte>(sizeof number, std::byte(1))}); // the side still waits
  isOver = true;
  side->join();
  EXPECT_EQ(number, 0x01010101);
}

TEST(SideThread, OnlyWhatIsBehindAMarkIsNotWaitedFor) {
  const auto side = std::make_unique<SideThread>();
  std::atomic<bool> isOver = false;
  int first = 0;
  std::atomic<int> second = 0;
  side->call([&] { first = 1; });
  const int64_t mark = side->mark();
  side->call([&] {
    while (!isOver)
      std::this_thread::yield();
    second = 1;
  });
  side->await(mark);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  isOver = true;
  side->join();
  EXPECT_EQ(second, 1);
}

TEST(SideThread, OnlyLaunchesCopiesAndClearingsAreTaken) {
  EXPECT_EQ(errorOf([] { SideThread().submit(EmbedOp()); }),
            "a side stream must be given launches, copies and clearings, but got embedding");
}

} // namespace
