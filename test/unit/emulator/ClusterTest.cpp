//===- ClusterTest.cpp - blocks of a cluster: barriers, each other's memory, multicast ----===//
#include "Assembled.h"
#include "ClusterKernels.h"
#include "Faults.h"
#include "Orders.h"

#include <numeric>

using namespace stretto::test;

namespace {
TEST(Clusters, Exchange) {
  EmulatedKernels kernels(exchange);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 256, 1.0f);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(y.data[i], x.data[(i / 64 ^ 1) * 64 + 63 - i % 64]) << "number " << i;
  });
}

void expectSums(const std::string &text) {
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 512, 1.0f);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 128; ++i) // 8 rows from row 8 c on, c: cluster
      ASSERT_EQ(y.data[i], 8 * (i % 32 + 1) + 32 * (64 * (i / 64) + 28)) << "number " << i;
  });
}

TEST(Clusters, MulticastRing) { expectSums(multicastRing); }

/// Who has ended, takes no part in the barrier of the cluster.
TEST(Clusters, EndedThreadsAreNotAwaited) {
  expectSums(with(multicastRing, "llvm.cond_br %isOne, ^fill(%i0 : i32), ^end\n", R"(
    llvm.cond_br %isOne, ^fill(%i0 : i32), ^idle
  ^idle:
    llvm.return
)"));
}

TEST(Clusters, Registers) {
  EmulatedKernels kernels(clusterKernel(6, 32, "768", 1, R"(
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %clusters = nvvm.read.ptx.sreg.nclusterid.x : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %i10 = llvm.mlir.constant(10 : i32) : i32
    %s0 = llvm.mul %clusters, %i10 : i32
    %s1 = llvm.add %s0, %cluster : i32
    %s2 = llvm.mul %s1, %i10 : i32
    %s3 = llvm.add %s2, %size : i32
    %s4 = llvm.mul %s3, %i10 : i32
    %s5 = llvm.add %s4, %rank : i32
    %first = llvm.shl %block, %i5 : i32
    %i = llvm.add %first, %tid : i32
    %p = llvm.getelementptr %a0[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %s5, %p : i32, !llvm.ptr<1>)"));
  ASSERT_TRUE(kernels.isLoaded());
  underSeveralOrders([&](int64_t calls) {
    Buffer<int32_t> got;
    kernels.launch("k", {&got}, calls);
    for (int i = 0; i < 192; ++i)
      ASSERT_EQ(got.data[i], 3000 + i / 64 * 100 + 20 + i / 32 % 2) << "number " << i;
  });
}

/// The very same texts are code for the GPU.
TEST(Clusters, Assemble) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  EXPECT_TRUE(Assembled(exchange).kernel());
  EXPECT_TRUE(Assembled(multicastRing).kernel());
}

/// In global memory, too, blocks of a cluster are in order behind its barrier.
TEST(Clusters, GlobalMemory) {
  const std::string meet = "nvvm.cluster.arrive\n    nvvm.cluster.wait\n",
                    text = clusterKernel(4, 32, "512, 512", 2, R"(
    %first = llvm.shl %block, %i5 : i32
    %i = llvm.add %first, %tid : i32
    %to = llvm.getelementptr %a0[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %i, %to : i32, !llvm.ptr<1>
    )" + meet + R"(
    %other = llvm.xor %i, %i32 : i32
    %from = llvm.getelementptr %a0[%other] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %out = llvm.getelementptr %a1[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %out : i32, !llvm.ptr<1>)");
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  underSeveralOrders([&](int64_t calls) {
    Buffer<int32_t> x, y;
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(y.data[i], i ^ 32);
  });
  expectCheckCatches(with(text, meet, ""), 2, "race: (read|write) of 4 bytes at .*, buffer 0 from byte .* on, which");
}

const char *arrive = "nvvm.cluster.arrive // stored", *wait = "nvvm.cluster.wait // awaited",
           *secondArrive = "nvvm.cluster.arrive {aligned} // read", *secondWait = "nvvm.cluster.wait {aligned} // seen";
const std::string early =
                      "read of 4 bytes at .* of shared memory from byte .* on, which the block has not written|"
                      "race: (read|write) of 4 bytes at .*, shared memory from byte .* on, which thread .* of block "
                      "number .* has (read|written) with no barrier in between",
                  leaves =
                      "it is the last one to end, but nothing says that thread .* of block \\(., 0\\) is done with "
                      "what it does to the block's shared memory at ",
                  gone = "all threads of block \\(., 0\\), in whose shared memory that is, have ended";

TEST(Clusters, BarrierRemoved) {
  expectCaught(with(with(exchange, arrive, ""), wait, ""), 2, early);
  expectCheckCatches(with(exchange, arrive, "nvvm.cluster.arrive.relaxed"), 2, early);
  expectCaught(with(exchange, arrive, "nvvm.barrier0"), 2,
               "nvvm.cluster.wait .*: it must have arrived at the barrier of its cluster");
  expectCaught(with(exchange, wait, "nvvm.barrier0"), 2,
               "nvvm.cluster.arrive .*: it arrives twice at the barrier of its cluster with no nvvm.cluster.wait in "
               "between|" +
                   early);
}

TEST(Clusters, EndsBeforeOthersHaveRead) {
  const std::string text = with(with(exchange, secondArrive, ""), secondWait, "");
  expectCaught(text, 2, leaves + "|" + gone);
  // To arrive is not enough: nobody waits for it.
  expectCaught(with(exchange, secondWait, ""), 2, leaves + "|" + gone);
}

TEST(Clusters, WrongBlock) {
  expectCaught(with(exchange, "nvvm.mapa %tile, %other", "nvvm.mapa %tile, %i5"), 2,
               "nvvm.mapa .*: a cluster has the blocks 0 to 1, but got 5");
  expectCheckCatches(with(exchange, "%remote = nvvm.mapa %tile, %other",
                          "%far = llvm.getelementptr %tile[2000] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                          "    %remote = nvvm.mapa %far, %other"),
                     2, "read of 4 bytes at .* ends .* bytes behind the shared memory of 2048 bytes|has not written");
}

const std::string copy = "multicast_mask = %both",
                  fullWait = "nvvm.mbarrier.try_wait.parity %full, %turnD, %i16 : "
                             "!llvm.ptr<3>, i32, i32 // filled",
                  bytes = "%bytes = llvm.mlir.constant(512 : i32)",
                  other = "nvvm.mbarrier.arrive %other {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7> // other";

const std::string readEarly =
    "read of 4 bytes at .* of shared memory from byte .* on, (which the block has not written|"
    "whose asynchronous copy nobody has waited for)";

std::string masked(int mask) {
  return with(multicastRing, "llvm.mlir.constant(3 : i16)", "llvm.mlir.constant(" + std::to_string(mask) + " : i16)");
}

TEST(Clusters, WrongMask) {
  // The second block gets nothing.
  expectCaught(
      masked(1), 2,
      "block \\([13], 0\\): .*for phase 0 of the mbarrier at byte 512, which lacks 0 of 1 arrivals and 512 bytes");
  expectCaught(masked(7), 2,
               "shared.cluster.global .*: its mask must name some of the blocks 0 to 1 of the cluster, but is 0x7");
  expectCaught(masked(0), 2, "its mask must name some of the blocks 0 to 1 of the cluster, but is 0x0");
}

TEST(Clusters, WrongBytes) {
  expectCaught(with(multicastRing, bytes, "%bytes = llvm.mlir.constant(256 : i32)"), 2, readEarly);
  expectCaught(
      with(multicastRing, bytes, "%bytes = llvm.mlir.constant(1024 : i32)"), 2,
      "the cluster that begins at block \\([02], 0\\): every thread waits or has ended: block \\(., 0\\): threads 0 to "
      "0 wait at nvvm.mbarrier.try_wait.parity .* for phase 0 of the mbarrier at byte 520, .*; block \\([13], 0\\): "
      "threads 0 .*and 1024 bytes, of which copies bring 512");
}

TEST(Clusters, MbarriersOfOthersNeedTheClusterBarrier) {
  const std::string text = with(with(multicastRing, "nvvm.cluster.arrive.relaxed // known", "nvvm.barrier0"),
                                "nvvm.cluster.wait // met", "");
  expectCaught(
      text, 2,
      "race: nvvm.* of the mbarrier at byte .* of block \\(., 0\\), which thread 0 has initialised with no "
      "barrier in between|cluster.global .* of byte 512 of shared memory, where no mbarrier has been initialised");
  // An arrival that is relaxed makes nothing known but mbarriers that a fence stands behind.
  expectCaught(
      with(multicastRing, "nvvm.fence.mbarrier.init // initialised", ""), 2,
      "race: nvvm.mbarrier.* of the mbarrier at byte .*, which thread 0 has initialised with no barrier in between");
}

TEST(Clusters, StagesOfOthersNotAwaited) {
  expectCaught(with(multicastRing, other, ""), 2, "which lacks 1 of 2 arrivals");
  const std::string ownOnly =
      with(with(multicastRing, other, ""), "%empty, %i2 : !llvm.ptr<3>, i32 // two", "%empty, %i1 : !llvm.ptr<3>, i32");
  expectCaught(ownOnly, 2,
               "race: write of 256 bytes at .*, shared memory from byte .* on, which a bulk copy has written with no "
               "barrier in between");
  expectCaught(with(multicastRing, fullWait, ""), 2, readEarly);
}

TEST(Clusters, EndsBeforeOthersHaveArrived) {
  const std::string text =
      with(with(multicastRing, "nvvm.cluster.arrive // done", ""), "nvvm.cluster.wait // left", "");
  expectCaught(text, 2, leaves + "|" + gone);
}

/// Those that stay wait until the others have ended.
TEST(Clusters, CopiesIntoBlocksThatHaveEnded) {
  expectCaught(with(multicastRing, "llvm.cond_br %isLow, ^copies, ^adds", R"(
    %leaves = llvm.icmp "eq" %rank, %i0 : i32
    llvm.cond_br %leaves, ^gone, ^stays
  ^gone:
    llvm.return
  ^stays:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.cond_br %isLow, ^copies, ^adds)"),
               2, "shared.cluster.global .*: all threads of block \\([02], 0\\), which it copies to, have ended");
}
} // namespace
