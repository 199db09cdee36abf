#include "runtime/core/finite.h"
#include "runtime/core/profile.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/runtime/small.h"

#include <atomic>

using namespace stretto;
using namespace stretto::test;

namespace {

std::atomic<int> launched;
void countChunks(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  launched += static_cast<int>(end - begin);
  for (int64_t i = begin; i < end; ++i) {
    static_cast<int64_t *>(scratch)[0] = i; // private to the thread
    static_cast<float *>(buffers[0])[i] = static_cast<float>(static_cast<int64_t *>(scratch)[0]);
  }
}
void writeNaN(void *const *buffers, int64_t, int64_t, void *) { static_cast<float *>(buffers[0])[2] = NAN; }

const stretto_kernel counting{"counting", "a.stretto:1:1", "rowwise", countChunks, 1000, 1, 8, 1 << 20, 10};
const stretto_kernel poison{"poison", "a.stretto:7:3", "rowwise", writeNaN, 1, 1, 0, 0, 0};

} // namespace

TEST(Device, ALaunchCoversEachChunkOnce) {
  for (int threads : {1, 2, 3, 7}) {
    Workbench bench(STRETTO_F32);
    bench.device->setThreads(threads);
    launched = 0;
    const stretto_buffer out = bench.reserve(4000);
    stretto_launch(&bench.context, &counting, &out);
    const auto values = bench.read<float>(out, 1000);
    EXPECT_EQ(launched, 1000);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(values[i], static_cast<float>(i));
  }
}

TEST(Device, NullAsyncRunsNothingBeforeTheWait) {
  Workbench bench(STRETTO_F32, "null-async");
  launched = 0;
  const stretto_buffer out = bench.reserve(4000);
  stretto_launch(&bench.context, &counting, &out);
  stretto_launch(&bench.context, &counting, &out);
  EXPECT_EQ(launched, 0);
  bench.device->wait();
  EXPECT_EQ(launched, 2000);
}

TEST(Device, NullAsyncReportsAFailureAtTheWaitAndGoesOn) {
  Workbench bench(STRETTO_F32, "null-async");
  const stretto_buffer tokens = bench.place(std::vector<int32_t>{5});
  stretto_embed_args args{1, 1, 2, tokens, bench.reserve(64), bench.reserve(64)};
  stretto_embed(&bench.context, &args);
  EXPECT_NE(errorOf([&] { bench.device->wait(); }), "");
  EXPECT_EQ(errorOf([&] { bench.device->wait(); }), "");
}

TEST(Device, CopiesRowsAndLeavesTheGaps) {
  Workbench bench(STRETTO_F32);
  const auto from = randomReals<float>(3 * 5, 1);
  stretto_copy_args args{3, 2 * 4, 5 * 4, 4 * 4, bench.place(from), bench.place(std::vector<float>(12, 9))};
  stretto_copy(&bench.context, &args);
  const auto to = bench.read<float>(args.to, 12);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_EQ(to[row * 4 + column], column < 2 ? from[row * 5 + column] : 9);
  args.from.offset = 8 << 20;
  stretto_copy(&bench.context, &args);
  EXPECT_TRUE(bench.context.failure);
}

TEST(Device, UnknownNamesAreRefused) {
  EXPECT_EQ(errorOf([] { makeDevice("gpu"); }), "a device must be 'cpu' or 'null-async', but got 'gpu'");
}

TEST(Profile, GroupsAddUpToTheStep) {
  Workbench bench(STRETTO_F32);
  Profile profile;
  bench.device->observe(&profile);
  const stretto_buffer out = bench.reserve(4000), matrix = bench.reserve(256 * 256 * 4);
  const stretto_matmul_args product{256, 256, 256, 256, 256, 256, 0, 0, 0, 0, matrix, matrix, bench.reserve(256 * 256 * 4)};
  for (int step = 0; step < 20; ++step) {
    profile.beginStep();
    stretto_launch(&bench.context, &counting, &out);
    stretto_matmul(&bench.context, &product);
    profile.endStep(0);
  }
  double share = 0;
  for (const Profile::Line &line : profile.groups()) {
    share += line.share;
    if (line.name == "products" || line.name == "rowwise") {
      EXPECT_EQ(line.calls, 1);
      EXPECT_GT(line.seconds, 0);
    }
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NE(profileReport(profile).find("product 256 x 256 x 256"), std::string::npos);
}

TEST(FiniteCheck, NamesTheKernelAndTheTensor) {
  for (const char *name : {"cpu", "null-async"}) {
    SmallProgram program;
    const std::unique_ptr<Device> device = makeDevice(name);
    FiniteCheck check(program.arenas, program.program);
    device->observe(&check);
    stretto_context context{*device, program.arenas, STRETTO_F32};
    const stretto_buffer gradients{STRETTO_ARENA_GRADIENTS, 0, 64};
    stretto_launch(&context, &poison, &gradients);
    const std::string error = errorOf([&] {
      device->wait();
      if (context.failure)
        std::rethrow_exception(context.failure);
    });
    EXPECT_EQ(error, "the first NaN or infinity was written by kernel 'poison' (a.stretto:7:3) into gradients of 'b', "
                     "element 2");
  }
}

// A NaN that lay in memory before is not blamed on an op that writes elsewhere.
TEST(FiniteCheck, OldGarbageIsNotBlamed) {
  SmallProgram program;
  static_cast<float *>(program.arenas.base(STRETTO_ARENA_GRADIENTS))[7] = NAN;
  FiniteCheck check(program.arenas, program.program);
  program.device->observe(&check);
  float *target = static_cast<float *>(program.arenas.base(STRETTO_ARENA_GRADIENTS));
  const float one = 1;
  const std::byte *bytes = reinterpret_cast<const std::byte *>(&one);
  EXPECT_NO_THROW(program.device->submit(CopyInOp{target + 6, std::vector<std::byte>(bytes, bytes + 4)}));
}
