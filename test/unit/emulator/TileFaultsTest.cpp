//===- TileFaultsTest.cpp - what is wrong with matmuls of warps is said --------===//
#include "Faults.h"
#include "TileKernels.h"

using namespace stretto::test;

namespace {
TEST(TileFaults, BarrierRemoved) {
  // Others' copies may be under way, or may not have begun.
  for (const char *turn : {"0", "1", "2", "3"})
    expectCheckCatches(with(tiledMatmul, std::string("nvvm.barrier0 // filled ") + turn, ""), 3,
                       "read of 16 bytes at .* whose asynchronous copy nobody has waited for|"
                       "read of 16 bytes at .* of shared memory from byte .* on, which the block has not written|"
                       "race: read of 16 bytes at .*, shared memory from byte .* on, which thread .* has written|"
                       "race: write of 16 bytes at .*, shared memory from byte .* on, which .* read");
  expectCheckCatches(with(smallMatmul, "nvvm.bar.warp.sync %all : i32", ""), 3,
                     "read of 16 bytes at .* whose asynchronous copy nobody has waited for|"
                     "race: read of 16 bytes at .*, shared memory from byte .* on, which thread .* has written");
  // A buffer is filled again while others read it.
  for (const char *turn : {"0", "1"})
    expectCheckCatches(with(tiledMatmul, std::string("nvvm.barrier0 // drained ") + turn, ""), 3,
                       "race: write of 16 bytes at .*, shared memory from byte .* on, which .* read|"
                       "read of 16 bytes at .* whose asynchronous copy nobody has waited for");
}

TEST(TileFaults, CopyNotWaitedFor) {
  const std::string pending = "read of 16 bytes at .* whose asynchronous copy nobody has waited for";
  for (const char *turn : {"0", "1", "2"}) {
    std::string wait = "nvvm.cp.async.wait.group 1 // of ";
    expectCheckCatches(with(tiledMatmul, wait + turn, ""), 3, pending);
    expectCheckCatches(with(tiledMatmul, wait + turn, "nvvm.cp.async.wait.group 2"), 3, pending);
  }
  expectCheckCatches(with(tiledMatmul, "nvvm.cp.async.wait.group 0 // of 3", "nvvm.cp.async.wait.group 1"), 3, pending);
  expectCheckCatches(with(tiledMatmul, "nvvm.cp.async.commit.group // of 0", ""), 3, pending);
}

TEST(TileFaults, MaskLeftOut) {
  expectCheckCatches(with(tiledMatmul, "llvm.select %exists, %i16, %i0", "llvm.select %exists, %i16, %i16"), 3,
                     "thread 1[12][0-9]: read of 16 bytes at .* ends .* bytes behind buffer 0 of 7680 bytes");
  expectCheckCatches(with(tiledMatmul, "\"ult\" %out1, %i60", "\"ule\" %out1, %i60"), 3,
                     "thread 11[2-5]: write of 4 bytes at .* ends .* bytes behind buffer 2 of 15360 bytes");
}

TEST(TileFaults, RowsOutsideOrMisaligned) {
  expectCheckCatches(with(matrixLoads, "llvm.getelementptr %memory[%tid]", "llvm.getelementptr %memory[%all]"), 2,
                     "starts 16 bytes before the shared variable of 512 bytes");
  const std::string other = with(matrixLoads, "%p4x = nvvm.ldmatrix %to", "%p4x = nvvm.ldmatrix %other");
  auto named = [&](const std::string &offset) {
    return with(other, "%mine =",
                "%other = llvm.getelementptr %to[" + offset + "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n    %mine =");
  };
  expectCheckCatches(named("16"), 2,
                     "thread 31: read of 16 bytes at .* ends 16 bytes behind the shared variable of 512 bytes");
  expectCheckCatches(
      named("8"), 2,
      "thread 0: read of 16 bytes at .* must be aligned to 16 bytes, but lies 8 bytes behind such a place");
}

TEST(TileFaults, StoredRowsOutsideOrRead) {
  expectCheckCatches(with(matrixStores, "%to10 = llvm.getelementptr %to[10]", "%to10 = llvm.getelementptr %to[11]"), 2,
                     "thread 24: write of 16 bytes at .* ends 16 bytes behind the shared variable of 1792 bytes");
  expectCheckCatches(with(matrixStores, "nvvm.bar.warp.sync %all : i32", ""), 2,
                     "race: read of 16 bytes at .*, shared memory from byte .* on, which thread .* has written");
  expectCheckCatches(
      with(matrixStores, "%to3 = llvm.getelementptr %to[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<128 x i8>",
           "%to3 = llvm.getelementptr %to[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<120 x i8>"),
      2, "thread 0: write of 16 bytes at .* must be aligned to 16 bytes, but lies 8 bytes behind such a place");
}

TEST(TileFaults, RowsNotWritten) {
  expectCheckCatches(with(smallMatmul, "llvm.cond_br %isB, ^more, ^copied", "llvm.br ^copied"), 3,
                     "thread 0: read of 16 bytes at .* of shared memory from byte 512 on, which the block has not "
                     "written");
}

TEST(TileFaults, LanesMissOrDiffer) {
  const std::string part = with(smallMatmul, "%c = nvvm.mma.sync", R"(
    llvm.cond_br %isB, ^part, ^end
  ^part:
    %c = nvvm.mma.sync)");
  expectCaught(with(part, "    llvm.return\n  }\n}", "    llvm.br ^end\n  ^end:\n    llvm.return\n  }\n}"), 3,
               "every thread waits or has ended: threads 0 to 15 wait at nvvm.mma.sync .* with mask 0xffffffff; "
               "threads 16 to 31 ended");
  expectCaught(with(smallMatmul, "%fa = nvvm.ldmatrix", R"(
    llvm.cond_br %isB, ^first, ^second
  ^second:
    nvvm.bar.warp.sync %all : i32
    llvm.br ^first
  ^first:
    %fa = nvvm.ldmatrix)"),
               3, "lanes of one mask must execute the same operation with the same mask, but lane .* is at nvvm");
}
} // namespace
