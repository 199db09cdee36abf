// Devices: launches, refused buffers, finite checks, the device that computes nothing.
#include "runtime/core/finite.h"
#include "runtime/core/op_table.h"
#include "runtime/core/profile.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/runtime/small.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace stretto;
using namespace stretto::runtime;
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

stretto_kernel cpuKernel(const char *name, const char *location, stretto_kernel_fn function, int64_t chunks,
                         int64_t scratch, int64_t moved, int64_t flops) {
  return {name, location, "rowwise", function, chunks, 1, scratch, moved, flops,   nullptr, {0, 0},
          0,    0,        0,         0,        0,      0, nullptr, 0,     nullptr, nullptr, 0};
}

const stretto_kernel counting = cpuKernel("counting", "a.stretto:1:1", countChunks, 1000, 8, 1 << 20, 10);
const stretto_kernel poison = cpuKernel("poison", "a.stretto:7:3", writeNaN, 1, 0, 0, 0);

// Whether the system is to back the memory at an address with large pages: its mapping has the flag "hg".
bool wantsLargePages(const void *address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  std::ifstream mappings("/proc/self/smaps");
  bool isInside = false;
  for (std::string line; std::getline(mappings, line);) {
    if (uintptr_t begin = 0, end = 0; std::sscanf(line.c_str(), "%zx-%zx ", &begin, &end) == 2)
      isInside = at >= begin && at < end;
    if (isInside && line.starts_with("VmFlags:"))
      return line.find(" hg") != std::string::npos;
  }
  return false;
}

} // namespace

TEST(Device, LargeArenasWantLargePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this system has none";
  const auto device = makeDevice("cpu");
  auto *const data = static_cast<char *>(device->allocate(8 << 20));
  EXPECT_TRUE(wantsLargePages(data + (4 << 20)));
  device->release(data, 8 << 20);
}

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

TEST(Device, ALaunchWhoseBuffersLeaveTheirArenaIsRefused) {
  Workbench bench(STRETTO_F32);
  const int64_t bytes = 4000;
  stretto_kernel kernel = counting;
  kernel.buffer_bytes = &bytes;
  stretto_buffer out = bench.reserve(4000);
  stretto_launch(&bench.context, &kernel, &out);
  EXPECT_FALSE(bench.context.failure);
  out.offset = (8 << 20) - 3996;
  launched = 0;
  stretto_launch(&bench.context, &kernel, &out);
  EXPECT_EQ(errorOf([&] { std::rethrow_exception(bench.context.failure); }),
            "a buffer must lie inside its arena, but got bytes 8384612 to 8388612 of 'activations' with 8388608 bytes");
  EXPECT_EQ(launched, 0);
}

TEST(Arenas, GradientsAreThePartOfTheActivationsThatTheProgramSays) {
  const auto device = makeDevice("cpu");
  stretto_program program{};
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = 256, program.arena_bytes[STRETTO_ARENA_GRADIENTS] = 64;
  program.gradients_begin = 192;
  const Arenas arenas(*device, program, /*accumulate=*/false);
  EXPECT_EQ(arenas.base(STRETTO_ARENA_GRADIENTS), static_cast<char *>(arenas.base(STRETTO_ARENA_ACTIVATIONS)) + 192);
  EXPECT_EQ(arenas.totalBytes(), 256);
  for (const int64_t begin : {-64, 256}) {
    program.gradients_begin = begin;
    EXPECT_EQ(errorOf([&] { Arenas(*device, program, false); }),
              fmt::format("gradients must lie inside the activations, but got 64 bytes of gradients from byte {} on, "
                          "and 256 of activations",
                          begin));
  }
}

// Parts of ranks are of one size, so that the last one may end behind the last row.
TEST(Arenas, ThereIsRoomForTheGradientsOfAllParts) {
  const auto device = makeDevice("cpu");
  constexpr int64_t rowBytes = STRETTO_FLAT_COLUMNS * sizeof(float);
  stretto_program program{};
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = 7 * rowBytes;
  program.arena_bytes[STRETTO_ARENA_GRADIENTS] = 3 * rowBytes;
  for (const auto &[begin, rows] : {std::pair{4, 8}, {0, 7}}) {
    program.gradients_begin = begin * rowBytes;
    const Arenas arenas(*device, program, /*accumulate=*/false, FlatShard{{{2, 4}}, 4});
    EXPECT_EQ(arenas.bytes(STRETTO_ARENA_ACTIVATIONS), rows * rowBytes);
    EXPECT_EQ(arenas.bytes(STRETTO_ARENA_GRADIENTS), 4 * rowBytes);
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

TEST(Device, AWaitForAMarkRunsWhatIsInFrontOfIt) {
  Workbench bench(STRETTO_F32, "null-async");
  launched = 0;
  const stretto_buffer out = bench.reserve(4000);
  stretto_launch(&bench.context, &counting, &out);
  const Device::Mark mark = bench.device->mark();
  stretto_launch(&bench.context, &counting, &out);
  bench.device->waitFor(mark);
  EXPECT_EQ(launched, 1000);
  bench.device->waitFor(mark);
  EXPECT_EQ(launched, 1000);
  bench.device->waitFor(bench.device->mark());
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

// A device that keeps what is repeated asks for it once; another asks each time.
TEST(Device, RepeatedWorkIsAskedForOnceWhereItIsKept) {
  for (auto [name, keeps] : {std::pair("cpu", true), {"null-async", true}, {"null-async", false}}) {
    const auto device = makeDevice(name, {.repeat = keeps});
    EXPECT_EQ(device->repeats(), keeps && name != std::string("cpu"));
    std::vector<float> out(1000);
    int asked = 0;
    launched = 0;
    for (int i = 0; i < 3; ++i) {
      device->repeat(7, [&] {
        ++asked;
        device->submit(LaunchOp{&counting, {out.data()}});
      });
      device->wait();
    }
    EXPECT_EQ(asked, device->repeats() ? 1 : 3);
    EXPECT_EQ(launched, 3000);
  }
}

TEST(Device, OpsHaveNamesForMessages) {
  MatmulOp matmul;
  matmul.m = 2, matmul.n = 3, matmul.k = 4;
  const stretto_result result = {"linear", "a.stretto:7:3", "", 2, -1, 1, 4, 4, {1, 1, 0, 0}, 2, 0, STRETTO_F32, 0};
  const stretto_site site{&result, 1};
  EXPECT_EQ(describeOp(matmul, {&site, 0}), "matmul 2 x 3 x 4 (a.stretto:7:3)");
  EXPECT_EQ(describeOp(LaunchOp{&counting, {}}, {}), "kernel 'counting' (a.stretto:1:1)");
  EXPECT_EQ(describeOp(ZeroOp{nullptr, 64}, {}), "clearing of 64 bytes");
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

// Of 3 chunks of 4 rows, the last one with 2; each chunk has 16 bytes of the first buffer, all share the second.
TEST(Device, RowsAreLaunchedByWholeChunks) {
  Workbench bench(STRETTO_F32);
  constexpr int64_t ofChunk[] = {16, 0}, all[] = {40, 8};
  stretto_kernel kernel{};
  kernel.name = "update";
  kernel.chunks = 3, kernel.chunk_rows = 4, kernel.buffers = 2, kernel.buffer_bytes = all, kernel.chunk_bytes = ofChunk;
  const stretto_buffer buffers[] = {bench.reserve(40), bench.reserve(8)};
  auto launch = [&](int64_t begin, int64_t end) { return launchOn(kernel, buffers, {begin, end}, bench.arenas); };
  for (auto [begin, end, first, last] : {std::tuple{0, 4, 0, 1}, {4, 8, 1, 2}, {4, 10, 1, 3}, {8, 12, 2, 3}}) {
    const LaunchOp op = launch(begin, end);
    EXPECT_EQ(op.begin, first);
    EXPECT_EQ(op.end, last);
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(op.buffers[i], bench.arenas.resolve(buffers[i], all[i]));
  }
  for (auto [begin, end] : {std::pair{2, 8}, {0, 5}, {4, 6}})
    EXPECT_EQ(errorOf([&] { launch(begin, end); }),
              "the kernel 'update' must have chunks that begin and end with rows " + std::to_string(begin) + " and " +
                  std::to_string(end) + ", but has chunks of 4 rows");
  kernel.chunk_bytes = nullptr;
  EXPECT_NE(errorOf([&] { launch(0, 4); }), "");
}

TEST(Device, UnknownNamesAreRefused) {
  EXPECT_EQ(errorOf([] { makeDevice("gpu"); }), "a device must be 'cpu' or 'null-async', but got 'gpu'");
}

TEST(Profile, GroupsAddUpToTheStep) {
  Workbench bench(STRETTO_F32);
  Profile profile;
  bench.device->observe(&profile);
  const stretto_buffer out = bench.reserve(4000), matrix = bench.reserve(256 * 256 * 4);
  const stretto_matmul_args matmul{
      256, 256, 256, 256, 256, 256, 0, 0, 0, STRETTO_F32, STRETTO_F32, 0, matrix, matrix, bench.reserve(256 * 256 * 4),
      {},  0};
  for (int step = 0; step < 20; ++step) {
    profile.beginStep();
    stretto_launch(&bench.context, &counting, &out);
    stretto_matmul(&bench.context, &matmul);
    profile.endStep(0);
  }
  double share = 0, seconds = 0;
  for (const Profile::Line &line : profile.groups()) {
    share += line.share;
    seconds += line.seconds;
    if (line.name == "matmuls" || line.name == "rowwise") {
      EXPECT_EQ(line.calls, 1);
      EXPECT_GT(line.seconds, 0);
    }
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NEAR(profile.secondsPerStep(), seconds, 1e-9 * seconds);
  EXPECT_NE(profileReport(profile).find("matmul 256 x 256 x 256"), std::string::npos);
}

namespace {

// Runs what `work` puts on the context of a small program under a FiniteCheck; returns the error's text.
template <typename Work> std::string finiteError(const char *deviceName, Work work) {
  SmallProgram program;
  const std::unique_ptr<Device> device = makeDevice(deviceName);
  FiniteCheck check(program.arenas, program.program);
  device->observe(&check);
  stretto_context context{*device, program.arenas, STRETTO_F32};
  return errorOf([&] {
    work(context, program);
    device->wait();
    if (context.failure)
      std::rethrow_exception(context.failure);
  });
}

stretto_result reals(const char *operation, int32_t buffer, int32_t weight, int64_t rows, int64_t columns,
                     int64_t stride, stretto_arena arena) {
  return {operation,  "a.stretto:7:3",       "", buffer, weight,      rows, columns * 4,
          stride * 4, {rows, columns, 0, 0}, 2,  arena,  STRETTO_F32, 0};
}

} // namespace

TEST(FiniteCheck, NamesTheKernelAndTheTensor) {
  for (const char *name : {"cpu", "null-async"}) {
    stretto_result result = reals("tanh", 0, -1, 1, 4, 4, STRETTO_ARENA_GRADIENTS);
    result.kernel = "poison";
    const stretto_site site{&result, 1};
    const stretto_buffer gradients{STRETTO_ARENA_GRADIENTS, 0, 64};
    EXPECT_EQ(finiteError(name,
                          [&](stretto_context &context, SmallProgram &) {
                            stretto_at(&context, &site, -1);
                            stretto_launch(&context, &poison, &gradients);
                          }),
              "the first NaN or infinity was written by tanh at a.stretto:7:3 for 'b', in kernel "
              "'poison': element [0, 2] of [1, 4] is nan; a kernel of several operations is looked at as a whole, with "
              "--fuse=none each of them");
  }
}

// Of a launch of some chunks, what the others would write is not there.
TEST(FiniteCheck, LooksAtTheChunksThatRan) {
  constexpr int64_t elements = 64, ofChunk[] = {16 * sizeof(float)}, all[] = {elements * sizeof(float)};
  stretto_kernel kernel{};
  kernel.name = kernel.location = kernel.group = "update";
  kernel.function = [](void *const *, int64_t, int64_t, void *) {};
  kernel.chunks = 4, kernel.buffers = 1, kernel.buffer_bytes = all, kernel.chunk_bytes = ofChunk, kernel.chunk_rows = 1;
  const stretto_result result = reals("update", 0, -1, 1, elements, elements, STRETTO_ARENA_ACTIVATIONS);
  const stretto_site site{&result, 1};
  std::vector<float> numbers(elements);
  const auto launch = [&](stretto_context &context, SmallProgram &) {
    context.device.submit(LaunchOp(&kernel, {numbers.data()}, 2, 4), {&site, -1});
  };
  numbers[31] = NAN; // before the third chunk
  EXPECT_EQ(finiteError("cpu", launch), "");
  numbers[40] = NAN;
  EXPECT_NE(finiteError("cpu", launch).find("element [0, 40] of [1, 64] is nan"), std::string::npos);
}

// Two weights behind one matmul: the column that went bad tells which.
TEST(FiniteCheck, NamesTheWeightOfAMatmul) {
  const stretto_result result = reals("linear", 2, 1, 1, 2, 2, STRETTO_ARENA_MOMENT2);
  const stretto_site site{&result, 1};
  EXPECT_EQ(finiteError("null-async",
                        [&](stretto_context &context, SmallProgram &program) {
                          float *weights = static_cast<float *>(program.arenas.base(STRETTO_ARENA_PARAMETERS));
                          weights[17] = INFINITY; // the second number of b; row 1 of [2, 16] starts with b
                          const stretto_matmul_args matmul{1,
                                                           2,
                                                           2,
                                                           2,
                                                           16,
                                                           2,
                                                           0,
                                                           1,
                                                           0,
                                                           STRETTO_F32,
                                                           STRETTO_F32,
                                                           0,
                                                           {STRETTO_ARENA_MOMENT1, 0, 0},
                                                           {STRETTO_ARENA_PARAMETERS, 0, 0},
                                                           {STRETTO_ARENA_MOMENT2, 0, 0},
                                                           {},
                                                           0};
                          stretto_at(&context, &site, 3);
                          stretto_matmul(&context, &matmul);
                        }),
            "the first NaN or infinity was written by linear at a.stretto:7:3 with weight 'b', in iteration 3 of its "
            "loop: element [0, 1] of [1, 2] is inf");
}

// A NaN in the gaps between the rows of a result, or left by somebody else, is not blamed on the op.
TEST(FiniteCheck, LooksAtWhatTheOpWritesAlone) {
  const stretto_result result = reals("linear", 1, -1, 2, 1, 4, STRETTO_ARENA_GRADIENTS);
  const stretto_site site{&result, 1};
  EXPECT_EQ(finiteError("cpu",
                        [&](stretto_context &context, SmallProgram &program) {
                          static_cast<float *>(program.arenas.base(STRETTO_ARENA_GRADIENTS))[1] = NAN;
                          const stretto_copy_args copy{
                              2, 4, 16, 16, {STRETTO_ARENA_MOMENT1, 0, 0}, {STRETTO_ARENA_GRADIENTS, 0, 0}};
                          stretto_at(&context, &site, -1);
                          stretto_copy(&context, &copy);
                        }),
            "");
}

TEST(FiniteCheck, WeightsThatComeInBadAreNamed) {
  SmallProgram program;
  const FiniteCheck check(program.arenas, program.program);
  EXPECT_NO_THROW(check.checkState());
  static_cast<float *>(program.arenas.base(STRETTO_ARENA_MOMENT1))[18] = NAN;
  EXPECT_EQ(errorOf([&] { check.checkState(); }),
            "moment1 of 'b' must be finite numbers before the first step, but element 2 is nan");
  static_cast<float *>(program.arenas.base(STRETTO_ARENA_PARAMETERS))[0] = INFINITY;
  EXPECT_EQ(errorOf([&] { check.checkState(); }),
            "parameters of 'a' must be finite numbers before the first step, but element 0 is inf");
}
