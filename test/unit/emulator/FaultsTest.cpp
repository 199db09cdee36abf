//===- FaultsTest.cpp - what is wrong with a kernel is said ----------------------===//
#include "Faults.h"
#include "Kernels.h"

#include <unistd.h>

using namespace stretto::test;

namespace {
TEST(Faults, BarrierRemoved) {
  expectCheckCatches(with(reduction, "nvvm.barrier0\n", "\n"), 2,
                     "emulator: kernel k, block \\(., 0\\), thread .*: "
                     "(race: read of 16 bytes at .*, shared memory from byte 0 on, which thread .* has written|"
                     "race: write of 4 bytes at .*, shared memory from byte .* on, which .* read|"
                     "read of 16 bytes at .* of shared memory from byte 0 on, which the block has not written)");
}

TEST(Faults, WaitRemoved) {
  expectCheckCatches(with(staging, "nvvm.cp.async.wait.group 0\n", "\n"), 2,
                     "read of 16 bytes at .* whose asynchronous copy nobody has waited for");
}

TEST(Faults, WrongShuffleMask) {
  expectCaught(with(reduction, "bfly %all", "bfly %i1"), 2,
               "its mask must hold the lane that executes it, but got 0x00000001|"
               "it must read a lane of its mask 0x00000001, but reads another");
}

TEST(Faults, MasksDiffer) {
  const std::string twoShuffles = kernel(1, 32, "64", 1, R"(
    %low = llvm.mlir.constant(0x0000ffff : i32) : i32
    %isHalf = llvm.icmp "ult" %tid, %i16 : i32
    llvm.cond_br %isHalf, ^a, ^b
  ^a:
    %x = nvvm.shfl.sync idx %low, %tid, %i0, %i31 : i32 -> i32
    llvm.br ^end
  ^b:
    %y = nvvm.shfl.sync idx %all, %tid, %i16, %i31 : i32 -> i32
    llvm.br ^end
  ^end:)");
  expectCaught(twoShuffles, 1,
               "lanes of one mask must execute the same operation with the same mask, but lane|every thread waits");
  const std::string halves = with(twoShuffles, "idx %all", "idx %high");
  EmulatedKernels kernels(with(halves, "%isHalf =", "%high = llvm.mlir.constant(0xffff0000 : i32) : i32\n %isHalf ="));
  EXPECT_EXIT(launchAndExit(kernels, 1, 1, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(0), "");
}

TEST(Faults, ReadOutside) {
  expectCheckCatches(with(elementwise, "constant(150 : i32)", "constant(151 : i32)"), 3,
                     "block \\(2, 0\\), thread 22: read of 4 bytes at .* ends 4 bytes behind buffer 0 of 600 bytes");
  expectCheckCatches(with(reduction, "%x = llvm.load %xp",
                          "%e = llvm.getelementptr %xp[-1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, "
                          "f32\n %x = llvm.load %e"),
                     2,
                     "block \\(0, 0\\), thread 0: read of 4 bytes at .* starts 4 bytes before buffer 0 of 2048 bytes");
}

TEST(Faults, ReadOutsideOfEveryBuffer) {
  const std::string chosen = with(with(elementwise, "%a0[%i]", "%p[%i]"),
                                  "%xp =", "%p = llvm.select %isLow, %a0, %a1 : i1, !llvm.ptr<1>\n %xp =");
  expectCheckCatches(with(chosen, "%xx = llvm.fadd",
                          "%far = llvm.getelementptr %xp[1000] : (!llvm.ptr<1>) -> !llvm.ptr<1>, "
                          "f64\n %w = llvm.load %far : !llvm.ptr<1> -> f32\n %xx = llvm.fadd"),
                     3, "read of 4 bytes at .* (ends|starts) .* bytes (behind|before) buffer . of 600 bytes");
}

TEST(Faults, WriteOutside) {
  expectCheckCatches(with(elementwise, "%zp = llvm.getelementptr %a2[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32",
                          "%zp = llvm.getelementptr %a2[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f64"),
                     3, "write of 4 bytes at .* ends .* bytes behind buffer 2 of 600 bytes");
}

TEST(Faults, SharedVariableLeft) {
  expectCheckCatches(with(reduction, "%sums[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32",
                          "%sums[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<12 x f32>"),
                     2,
                     "thread 96: write of 4 bytes at .* ends 20 bytes behind the shared variable of 128 bytes|"
                     "of shared memory from byte 0 on, which the block has not written");
}

TEST(Faults, Misaligned) {
  expectCheckCatches(
      with(staging,
           "%yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>\n"
           "    llvm.store %y, %yp {alignment = 16 : i64}",
           "%yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
           "    %one = llvm.extractelement %y[%i0 : i32] : vector<4xf32>\n"
           "    %two = llvm.getelementptr %yp[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16\n"
           "    llvm.store %one, %two : f32, !llvm.ptr<1>\n"
           "    llvm.store %y, %yp {alignment = 4 : i64}"),
      2, "write of 4 bytes at .* must be aligned to 4 bytes, but lies 2 bytes behind such a place");
}

TEST(Faults, UninitialisedSharedMemory) {
  expectCheckCatches(
      with(staging, "nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n", "\n"), 2,
      "read of 16 bytes at .* of shared memory from byte .* on, which the block has not written");
}

TEST(Faults, CopiesNotWaitedFor) {
  const std::string pending = "shared memory from byte .* on, whose asynchronous copy nobody has waited for";
  expectCheckCatches(with(staging, "nvvm.cp.async.commit.group\n", "\n"), 2, pending);
  expectCheckCatches(with(staging, "nvvm.cp.async.wait.group 0\n", "nvvm.cp.async.wait.group 1\n"), 2, pending);
  expectCheckCatches(with(staging, "nvvm.barrier0\n", "\n"), 2, pending + "|race: read of 16 bytes|has not written");
}

TEST(Faults, SourceOfACopyOverwritten) {
  const std::string store = "%one = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>\n"
                            "llvm.store %one, %from {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>\n";
  const std::string wait = "nvvm.cp.async.wait.group 0\n";
  expectCheckCatches(with(staging, wait, store + wait), 2,
                     "write of 16 bytes at .*, from where an asynchronous copy of the thread, which it has not waited "
                     "for, reads");
}

TEST(Faults, CopiesThatHaveNotLandedAreNaN) {
  EmulatedKernels kernels(with(staging, "nvvm.cp.async.wait.group 0\n", "\n"));
  ASSERT_TRUE(kernels.isLoaded());
  alignas(64) float x[256] = {}, y[256] = {};
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_NONE);
  kernels.launch("k", {x, y});
  for (float each : y)
    EXPECT_NE(each, each);
}

TEST(Faults, WarpSynchronisationRemoved) {
  expectCheckCatches(with(neighbours, "nvvm.bar.warp.sync %all : i32\n", "\n"), 1,
                     "race: read of 4 bytes|race: write of 4 bytes|which the block has not written");
  expectCheckCatches(with(neighbours, "nvvm.bar.warp.sync %again : i32\n", "\n"), 1,
                     "race: read of 4 bytes|race: write of 4 bytes");
}

TEST(Faults, HalfTheBlockSkipsTheBarrier) {
  expectCaught(kernel(1, 64, "64", 1, R"(
    llvm.cond_br %isLow, ^meet, ^end
  ^meet:
    nvvm.barrier0
    llvm.br ^end
  ^end:)"),
               1,
               "kernel k, block \\(0, 0\\): every thread waits or has ended: threads 0 to 31 wait at nvvm.barrier0 .*; "
               "threads 32 to 63 ended");
}

TEST(Faults, BarriersDiffer) {
  expectCaught(kernel(1, 64, "64", 1, R"(
    llvm.cond_br %isLow, ^a, ^b
  ^a:
    nvvm.barrier0
    llvm.br ^end
  ^b:
    nvvm.barrier
    llvm.br ^end
  ^end:)"),
               1, "divergent barrier: it waits at nvvm.barrier.*, other threads of its block at nvvm.barrier");
}

TEST(Faults, LaneMissesShuffle) {
  expectCaught(kernel(1, 32, "64", 1, R"(
    %isHalf = llvm.icmp "ult" %tid, %i16 : i32
    llvm.cond_br %isHalf, ^meet, ^end
  ^meet:
    %x = nvvm.shfl.sync idx %all, %tid, %i0, %i31 : i32 -> i32
    llvm.br ^end
  ^end:)"),
               1,
               "every thread waits or has ended: threads 0 to 15 wait at nvvm.shfl.sync .* with mask 0xffffffff; "
               "threads 16 to 31 ended");
}

TEST(Faults, RacesOnGlobalMemory) {
  // Threads of one block, then of several, write to one place.
  for (const char *index : {"%a2[%block]", "%a2[%tid]"})
    expectCheckCatches(with(elementwise, "%a2[%i]", index), 3,
                       "race: write of 4 bytes at .*, buffer 2 from byte .* on, which thread .* has written");
  EmulatedKernels kernels(with(elementwise, "%a2[%i]", "%a2[%tid]"));
  EXPECT_EXIT(launchAndExit(kernels, 3, 0, STRETTO_EMULATOR_CHECKS_FAST), testing::ExitedWithCode(0), "");
}

TEST(Faults, RaceOfBuffersThatOverlap) {
  EmulatedKernels kernels(elementwise);
  ASSERT_TRUE(kernels.isLoaded());
  auto launch = [&](stretto_emulator_checks checks) {
    alignas(64) static float x[256], y[256];
    stretto_emulator_set_checks(checks);
    kernels.launch("k", {x, y, x + 1});
    _exit(0);
  };
  EXPECT_EXIT(launch(STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(70), "race: .*, buffer . from byte");
  EXPECT_EXIT(launch(STRETTO_EMULATOR_CHECKS_FAST), testing::ExitedWithCode(0), "");
}

TEST(Faults, ReadOnlyBufferThatIsWritten) {
  EmulatedKernels kernels(with(elementwise, "%a0: !llvm.ptr<1>", "%a0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}"));
  ASSERT_TRUE(kernels.isLoaded());
  auto launch = [&](stretto_emulator_checks checks, int first, int second, int result) {
    alignas(64) static float memory[1024];
    stretto_emulator_set_checks(checks);
    kernels.launch("k", {memory + first, memory + second, memory + result});
    _exit(0);
  };
  const char *message =
      "kernel k: buffer 0 of 600 bytes is read-only and must not overlap a buffer that the kernel writes, "
      "but buffer 2 of 600 bytes begins 596 bytes (before|behind) its start";
  for (auto checks : {STRETTO_EMULATOR_CHECKS_FAST, STRETTO_EMULATOR_CHECKS_FULL}) {
    EXPECT_EXIT(launch(checks, 200, 600, 349), testing::ExitedWithCode(70), message);
    EXPECT_EXIT(launch(checks, 349, 600, 200), testing::ExitedWithCode(70), message);
    EXPECT_EXIT(launch(checks, 200, 600, 350), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(launch(checks, 200, 200, 400), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(launch(checks, 200, 400, 400), testing::ExitedWithCode(0), "");
  }
  EXPECT_EXIT(launch(STRETTO_EMULATOR_CHECKS_NONE, 200, 600, 349), testing::ExitedWithCode(0), "");
}

/// What lies behind its own parts of the buffers may be anything.
TEST(Faults, PartOfALaunchWithOtherMemoryBehindIt) {
  EmulatedKernels kernels(with(elementwise, "%a0: !llvm.ptr<1>", "%a0: !llvm.ptr<1> {llvm.noalias, llvm.readonly}"));
  ASSERT_TRUE(kernels.isLoaded());
  auto launchFirstBlock = [&](stretto_emulator_checks checks) {
    alignas(64) static float memory[1024];
    void *buffers[] = {memory + 200, memory + 600, memory + 349};
    stretto_emulator_set_checks(checks);
    kernels.entry("k")(buffers, 0, 1, nullptr);
    _exit(0);
  };
  for (auto checks : {STRETTO_EMULATOR_CHECKS_FAST, STRETTO_EMULATOR_CHECKS_FULL})
    EXPECT_EXIT(launchFirstBlock(checks), testing::ExitedWithCode(0), "");
}

TEST(Faults, HookReports) {
  EmulatedKernels kernels(with(elementwise, "constant(150 : i32)", "constant(151 : i32)"));
  auto launch = [&] {
    stretto_emulator_set_report([](const char *message) { fprintf(stderr, "hooked [%s]\n", message); });
    launchAndExit(kernels, 3, 0, STRETTO_EMULATOR_CHECKS_FULL);
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(70), "^hooked \\[kernel k, .* of 600 bytes\\]");
}

/// In a process of its own, where nobody has read the settings yet.
class Environment : public testing::Test {
protected:
  Environment() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  ~Environment() { testing::FLAGS_gtest_death_test_style = "fast"; }
  static void launch(const char *seed, const char *checks) {
    setenv("STRETTO_EMULATOR_SEED", seed, 1);
    setenv("STRETTO_EMULATOR_CHECKS", checks, 1);
    EmulatedKernels kernels(with(elementwise, "%a2[%i]", "%a2[%tid]"));
    std::vector<Memory> memory(3);
    kernels.launch("k", {memory[0].data, memory[1].data, memory[2].data});
    _exit(0);
  }
};

TEST_F(Environment, IsObeyed) {
  EXPECT_EXIT(launch("0", "full"), testing::ExitedWithCode(70), "block \\(1, 0\\), thread 0: race: write of 4 bytes");
  EXPECT_EXIT(launch("0", "fast"), testing::ExitedWithCode(0), "");
}

TEST_F(Environment, IsChecked) {
  EXPECT_EXIT(launch("0", "some"), testing::ExitedWithCode(70),
              "STRETTO_EMULATOR_CHECKS must be none, fast or full, but got 'some'");
  EXPECT_EXIT(launch("x", "full"), testing::ExitedWithCode(70), "STRETTO_EMULATOR_SEED must be a number, but got 'x'");
}
} // namespace
