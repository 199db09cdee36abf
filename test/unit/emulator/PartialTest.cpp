//===- PartialTest.cpp - warps with roles: mbarriers, named barriers, leaders ----===//
#include "Faults.h"
#include "Kernels.h"
#include "Orders.h"
#include "PartialKernels.h"

#include <numeric>

using namespace stretto::test;

namespace {
void expectSums(const std::string &text) {
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 160, 1.0f);
  underSeveralOrders([&](int64_t) {
    kernels.launch("k", {&x, &y});
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(y.data[i], 5 * (32 - i) + 32 * 10);
  });
}

TEST(Partial, RingOfMbarriers) { expectSums(mbarrierRing); }
TEST(Partial, RingOfNamedBarriers) { expectSums(namedRing); }

TEST(Partial, Phases) {
  EmulatedKernels kernels(phases);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<int32_t> got;
  underSeveralOrders([&](int64_t) {
    std::fill(std::begin(got.data), std::end(got.data), -1);
    kernels.launch("k", {&got});
    EXPECT_EQ(got.data[3 * 64], 0);
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(got.data[i], 0);
      EXPECT_EQ(got.data[64 + i], 1);
      EXPECT_EQ(got.data[128 + i], 1);
    }
  });
}

TEST(Partial, Leaders) {
  EmulatedKernels kernels(leaders);
  ASSERT_TRUE(kernels.isLoaded());
  int others = 0;
  underSeveralOrders([&](int64_t) {
    Buffer<int32_t> got;
    kernels.launch("k", {&got});
    for (int warp = 0; warp < 4; ++warp)
      EXPECT_EQ(std::accumulate(got.data + 32 * warp, got.data + 32 * warp + 32, 0), 1);
    others += got.data[0] == 0;
  });
  EXPECT_GT(others, 0) << "the leader must not always be lane 0";
}

/// What a ring says where a stage is read or filled too early.
const char *early = "race: (read|write) of 4 bytes at .*, shared memory from byte .* on, which thread .* has "
                    "(read|written) with no barrier in between|"
                    "read of 4 bytes at .* of shared memory from byte .* on, which the block has not written";
const std::string full = "nvvm.mbarrier.try_wait.parity %cf, %parityD, %ticks : !llvm.ptr<3>, i32, i32 // full",
                  empty = "nvvm.mbarrier.try_wait.parity %pe, %parity, %ticks : !llvm.ptr<3>, i32, i32 // empty";

TEST(Partial, WaitRemoved) {
  expectCaught(with(mbarrierRing, full, ""), 2, early);
  expectCaught(with(mbarrierRing, empty, ""), 2,
               std::string(early) + "|32 arrivals|lacks 0 of 32|but a thread that waits for phase .* has not seen yet");
  expectCaught(with(namedRing, "nvvm.barrier id = %cf number_of_threads = %both // full",
                    "nvvm.barrier.arrive id = %cf number_of_threads = %both"),
               2, std::string(early) + "|it arrives twice at barrier");
}

TEST(Partial, WrongParity) {
  expectCaught(with(mbarrierRing, "%cf, %parityD", "%cf, %i0"), 2,
               std::string(early) + "|every thread waits|has not seen yet");
  expectCaught(
      with(mbarrierRing, "%pe, %parity,", "%pe, %isOdd,"), 2,
      "every thread waits or has ended: threads 0 to 31 wait at nvvm.mbarrier.try_wait.parity .* for phase 0 of "
      "the mbarrier at byte 16, which lacks 32 of 32 arrivals and 0 bytes; threads 32 to 63 wait at "
      "nvvm.mbarrier.try_wait.parity .* for phase 0 of the mbarrier at byte 0, which lacks 32 of 32 arrivals");
}

TEST(Partial, WrongCounts) {
  expectCaught(
      with(mbarrierRing, "%arrivals = llvm.mlir.constant(32 : i32)", "%arrivals = llvm.mlir.constant(33 : i32)"), 2,
      "every thread waits .* which lacks 1 of 33 arrivals");
  expectCaught(
      with(mbarrierRing, "%arrivals = llvm.mlir.constant(32 : i32)", "%arrivals = llvm.mlir.constant(31 : i32)"), 2,
      std::string(early) + "|1 arrivals at the mbarrier .*lacks 0 of 31|has not seen yet|every thread waits");
  expectCaught(
      with(mbarrierRing, "%arrivals = llvm.mlir.constant(32 : i32)", "%arrivals = llvm.mlir.constant(0 : i32)"), 2,
      "nvvm.mbarrier.init .* must ask for 1 to 1048575 arrivals, but got 0");
  expectCaught(with(mbarrierRing, "nvvm.mbarrier.arrive %ce, %i1", "nvvm.mbarrier.arrive %ce, %arrivals"), 2,
               "32 arrivals at the mbarrier at byte .*, whose phase .* lacks .* of 32|has not seen yet|" +
                   std::string(early));
}

TEST(Partial, InitialisationMustComeFirst) {
  expectCaught(with(mbarrierRing, "nvvm.barrier0 // initialised", ""), 2,
               "race: nvvm.mbarrier.* of the mbarrier at byte .*, which thread .* has initialised with no barrier "
               "in between|where no mbarrier has been initialised");
  const std::string outside = with(mbarrierRing, "%empty[%stage]", "%empty[%far]");
  expectCaught(with(outside, "%isOdd =", "%far = llvm.mlir.constant(7 : i32) : i32\n    %isOdd ="), 2,
               "nvvm.mbarrier.try_wait.parity .* of byte .* of shared memory, where no mbarrier has been initialised");
  expectCaught(with(mbarrierRing, "llvm.br ^ready\n",
                    "nvvm.mbarrier.init %each, %arrivals : !llvm.ptr<3>, i32\n    llvm.br ^ready\n"),
               2, "nvvm.mbarrier.init .* of byte .*, where an mbarrier lies that nobody has invalidated");
  expectCheckCatches(
      with(mbarrierRing, "%zero = llvm", "%peek = llvm.load %full : !llvm.ptr<3> -> i32\n    %zero = llvm"), 2,
      "read of 4 bytes at .* of shared memory from byte 0 on, where an mbarrier lies");
}

TEST(Partial, Invalidation) {
  const std::string inval = "nvvm.mbarrier.inval %barrier : !llvm.ptr<3>\n";
  expectCheckCatches(with(phases, inval, ""), 1,
                     "thread 0: write of 4 bytes at .* of shared memory from byte 0 on, where an mbarrier lies");
  expectCaught(with(phases, inval, inval + inval), 1, "nvvm.mbarrier.inval .* where no mbarrier has been initialised");
}

TEST(Partial, Bytes) {
  const std::string announced = with(mbarrierRing, "%s0 = nvvm.mbarrier.arrive %pf : !llvm.ptr<3> -> i64 // filled",
                                     "nvvm.mbarrier.complete_tx %pf, %i5 : !llvm.ptr<3>, i32\n"
                                     "    nvvm.mbarrier.arrive.expect_tx %pf, %i5 : !llvm.ptr<3>, i32");
  expectSums(announced);
  expectCaught(
      with(announced, "complete_tx %pf, %i5", "complete_tx %pf, %i1"), 2,
      "every thread waits .* for phase 0 of the mbarrier at byte 0, which lacks 0 of 32 arrivals and 128 bytes");
}

TEST(Partial, Numbers) {
  expectCaught(with(namedRing, "%pe = llvm.add %stage, %i3", "%pe = llvm.add %stage, %i31"), 2,
               "a barrier must have a number from 0 to 15, but got 3");
  expectCaught(with(namedRing, "id = %pf number_of_threads = %both", "id = %pf number_of_threads = %i31"), 2,
               "a barrier must be of whole warps, at most the 64 threads of the block, but got 31 threads");
  expectCaught(with(namedRing, "id = %pf number_of_threads = %both", "id = %pf number_of_threads = %i32"), 2,
               "others have arrived at barrier 1 as one of .* threads, but got .*|" + std::string(early));
}

TEST(Partial, PartOfAGroup) {
  expectCaught(with(leaders, "kern.block = 128", "kern.block = 96"), 1,
               "nvvm.setmaxregister .* takes whole groups of 128 threads, but the block has 96");
  expectCaught(with(leaders, "nvvm.setmaxregister decrease 40\n", R"(
    llvm.cond_br %isLow, ^a, ^b
  ^a:
    nvvm.setmaxregister decrease 40
    llvm.br ^both
  ^b:
    nvvm.setmaxregister decrease 48
    llvm.br ^both
  ^both:
)"),
               1, "the threads of a warpgroup must execute the same operation, but it is at nvvm.setmaxregister");
}

TEST(Partial, PhasesThatCannotBe) {
  expectCaught(with(phases, "nvvm.mbarrier.try_wait %barrier, %i0", "nvvm.mbarrier.try_wait %barrier, %i5"), 1,
               "nvvm.mbarrier.try_wait .*: the parity of a phase must be 0 or 1, but got 5");
  expectCaught(with(phases, "%done = nvvm.mbarrier.test.wait %barrier, %state",
                    "%five = llvm.mlir.constant(5 : i64) : i64\n    %other = llvm.add %state, %five : i64\n"
                    "    %done = nvvm.mbarrier.test.wait %barrier, %other"),
               1, "phase 5 of the mbarrier at byte .* is neither the one that goes on, 0, nor the one before");
  expectCaught(with(phases, "%state = nvvm",
                    "%many = llvm.mlir.constant(1048576 : i32) : i32\n"
                    "    nvvm.mbarrier.expect_tx %barrier, %many : !llvm.ptr<3>, i32\n    %state = nvvm"),
               1, "phase 0 of the mbarrier at byte .* may lack at most 1048575 bytes, but lacks 1048576");
}

TEST(Partial, TooManyMbarriers) {
  const std::string reused = with(phases, "    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>\n", R"(
    llvm.br ^again64(%i0 : i32)
  ^again64(%round: i32):
    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>
    nvvm.mbarrier.init %barrier, %i1 : !llvm.ptr<3>, i32
    %nextRound = llvm.add %round, %i1 : i32
    %moreRounds = llvm.icmp "ult" %nextRound, %rounds : i32
    llvm.cond_br %moreRounds, ^again64(%nextRound : i32), ^over64
  ^over64:
    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>
)");
  auto rounds = [&](const char *count) {
    return with(reused,
                "%isFirst =", std::string("%rounds = llvm.mlir.constant(") + count + " : i32) : i32\n    %isFirst =");
  };
  EmulatedKernels kernels(rounds("63"));
  EXPECT_EXIT(launchAndExit(kernels, 1, 1, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(0), "");
  expectCaught(rounds("64"), 1, "nvvm.mbarrier.init .*: a block may initialise at most 64 mbarriers");
}

TEST(Partial, InvalidatedWhileOthersWait) {
  // The second warp waits for good; the first one polls until all of it does.
  expectCaught(kernel(1, 64, "64", 1, R"(
    %barrier = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %isOne = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isOne, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %barrier, %i1 : !llvm.ptr<3>, i32
    llvm.br ^ready
  ^ready:
    nvvm.barrier0
    llvm.cond_br %isOne, ^poll, ^wait
  ^poll:
    %over = nvvm.mbarrier.test.wait %barrier, %i0 : !llvm.ptr<3>, i32 -> i1
    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>
    llvm.br ^end
  ^wait:
    nvvm.mbarrier.try_wait.parity %barrier, %i0, %i16 : !llvm.ptr<3>, i32, i32
    llvm.br ^end
  ^end:)"),
               1, "nvvm.mbarrier.inval .* of the mbarrier at byte 0, at which threads or copies are");
}

TEST(Partial, BarrierZeroOfSomeAndOfAll) {
  const std::string both = kernel(1, 64, "64", 1, R"(
    llvm.cond_br %isLow, ^some, ^all
  ^some:
    nvvm.barrier id = %i0 number_of_threads = %i32
    nvvm.barrier.arrive number_of_threads = %both
    llvm.br ^end
  ^all:
    nvvm.barrier0
    llvm.br ^end
  ^end:)");
  expectCaught(
      with(both, "%isLow =", "%both = llvm.mlir.constant(64 : i32) : i32\n    %isLow ="), 1,
      "nvvm.barrier0 .* of the whole block, but others are at barrier 0, at which .* of .* threads have arrived|"
      "nvvm.barrier.* others wait at barrier 0 as the whole block");
}
} // namespace
