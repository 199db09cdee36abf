//===- BoxTest.cpp - bulk tensor copies --------------------------------------===//
#include "BoxKernels.h"
#include "Faults.h"
#include "Orders.h"

using namespace stretto::test;

namespace {
/// Number of element `index` (dimensions from first to last), 0 outside; elements count from 1.
int elementAt(const Box &box, const std::vector<int> &index) {
  int at = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= box.sizes[i])
      return 0;
    at = at * box.sizes[i] + index[i];
  }
  return at % 65535 + 1;
}

/// Where a number of the box lies in shared memory; the coordinates of its element go to `index`.
int placeOf(const Box &box, int number, std::vector<int> &index) {
  const int width = box.sides.back(), row = number / width, column = number % width;
  int rest = row;
  index.assign(box.sides.size(), box.from.back() + column);
  for (size_t d = box.sides.size() - 1; d-- > 0; rest /= box.sides[d])
    index[d] = box.from[d] + rest % box.sides[d];
  // A piece of 8 numbers moves by the number of its line of 128 bytes.
  const int line = row * width * 2 / 128, pieces = box.swizzle ? box.swizzle / 16 : 1;
  return row * width + ((column / 8) ^ (line % pieces)) * 8 + column % 8;
}

void expectBox(const Box &box) {
  EmulatedKernels kernels(boxCopy(box));
  ASSERT_TRUE(kernels.isLoaded());
  std::vector<uint16_t> tensor(box.bufferBytes() / 2), got(box.bytes() / 2);
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor[i] = i % 65535 + 1;
  underSeveralOrders([&](int64_t) {
    kernels.launch("k", {tensor.data(), got.data()});
    std::vector<int> index;
    for (int i = 0; i < box.bytes() / 2; ++i) {
      const int place = placeOf(box, i, index);
      ASSERT_EQ(got[place], elementAt(box, index)) << "number " << i;
    }
  });
}

/// The box gets numbers from 1 on; all else in the tensor stays 0.
void expectStored(const Box &box) {
  EmulatedKernels kernels(boxStore(box));
  ASSERT_TRUE(kernels.isLoaded());
  std::vector<uint16_t> numbers(box.bytes() / 2), want(box.bufferBytes() / 2);
  std::vector<int> index;
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[placeOf(box, i, index)] = i + 1;
    if (const int element = elementAt(box, index))
      want[element - 1] = i + 1;
  }
  underSeveralOrders([&](int64_t) {
    std::vector<uint16_t> tensor(want.size());
    kernels.launch("k", {tensor.data(), numbers.data()});
    EXPECT_EQ(tensor, want);
  });
}

const Box plain{{100, 72}, {32, 64}, {5, 3}, 128};

TEST(Boxes, Swizzles) {
  for (int swizzle : {0, 32, 64, 128}) {
    SCOPED_TRACE(swizzle);
    expectBox({{100, 72}, {32, swizzle ? swizzle / 2 : 40}, {5, 3}, swizzle});
  }
}

TEST(Boxes, Dimensions) {
  expectBox({{1000}, {256}, {100}, 0});
  expectBox({{7, 40, 64}, {3, 8, 64}, {2, 4, 0}, 128});
}

TEST(Boxes, OutsideOfTheTensorIsZero) {
  expectBox({{100, 72}, {32, 64}, {90, 40}, 128});
  expectBox({{100, 72}, {32, 64}, {-4, -9}, 128});
  expectBox({{7, 40, 64}, {4, 8, 32}, {5, 36, 40}, 64});
  expectBox({{100, 72}, {32, 64}, {200, 0}, 128});
}

const std::string kernelText = boxCopy(plain),
                  wait = "nvvm.mbarrier.try_wait.parity %barrier, %i0, %i16 : !llvm.ptr<3>, i32, i32 // awaited",
                  announce = "nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 // announced",
                  pending =
                      "read of 16 bytes at .* of shared memory from byte .* on, whose asynchronous copy nobody has "
                      "waited for";

/// The wait comes when all has been read.
const std::string late = with(with(kernelText, wait, ""), "  ^end:\n", "  ^end:\n    " + wait + "\n");

TEST(Boxes, WaitRemoved) { expectCheckCatches(late, 2, pending); }

TEST(Boxes, NotLandedIsNaN) {
  EmulatedKernels kernels(late);
  ASSERT_TRUE(kernels.isLoaded());
  std::vector<uint16_t> tensor(plain.bufferBytes() / 2), got(plain.bytes() / 2);
  stretto_emulator_set_seed(0);
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_NONE);
  kernels.launch("k", {tensor.data(), got.data()});
  // What thread 31 reads: it leaves the barrier first and is the first one to wait.
  for (size_t piece = 31; piece < got.size() / 8; piece += 32)
    for (size_t i = 8 * piece; i < 8 * piece + 8; ++i)
      ASSERT_EQ(got[i], 0xffff) << "number " << i;
}

TEST(Boxes, NobodyWaits) {
  std::string text = with(kernelText, wait, "llvm.br ^end\n  ^rest:");
  expectCaught(text, 2,
               "block \\(0, 0\\): all threads have ended, but nobody has waited for copies of 4096 bytes in phase 0 of "
               "the mbarrier at byte");
}

TEST(Boxes, WrongBytes) {
  auto announced = [&](const std::string &bytes) {
    return with(kernelText, announce,
                "%wrong = llvm.mlir.constant(" + bytes +
                    " : i32) : i32\n    nvvm.mbarrier.arrive.expect_tx %barrier, %wrong : !llvm.ptr<3>, i32");
  };
  expectCaught(
      announced("2048"), 2,
      "nvvm.cp.async.bulk.tensor.shared.cluster.global .*: phase 0 of the mbarrier at byte .* lacks 2048 bytes, "
      "but copies bring 4096");
  expectCaught(announced("8192"), 2,
               "every thread waits .* which lacks 0 of 1 arrivals and 8192 bytes, of which copies bring 4096");
  expectCaught(with(kernelText, announce, "%s = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64"), 2, pending);
}

TEST(Boxes, FencesRemoved) {
  expectCheckCatches(with(kernelText, "nvvm.fence.mbarrier.init // visible", ""), 2,
                     "the mbarrier at byte .*, which thread 0 has initialised with no fence.mbarrier.init behind it");
  EmulatedKernels other(
      with(kernelText, "nvvm.fence.mbarrier.init // visible", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}"));
  EXPECT_EXIT(launchAndExit(other, 2, 0, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(0), "");
  expectCheckCatches(
      with(kernelText, announce, announce + "\n    llvm.store %tid, %memory : i32, !llvm.ptr<3>"), 2,
      "write of 4096 bytes at .* by the asynchronous proxy of shared memory from byte 0 on, which thread 0 has "
      "written with no fence.proxy.async in between");
}

TEST(Boxes, OverwrittenInFlight) {
  expectCheckCatches(
      with(kernelText, "nvvm.barrier0 // initialised",
           "nvvm.barrier0\n    llvm.store %tid, %memory : i32, !llvm.ptr<3>"),
      2, "write of 4 bytes at .* of shared memory from byte 0 on, whose asynchronous copy nobody has waited for");
}

TEST(Boxes, WrongPlaces) {
  auto moved = [&](const std::string &bytes) {
    return with(kernelText, "%cluster = llvm.addrspacecast %memory",
                "%moved = llvm.getelementptr %memory[" + bytes +
                    "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n    %cluster = llvm.addrspacecast %moved");
  };
  expectCheckCatches(moved("1040"), 2,
                     "write of 4096 bytes at .* ends 16 bytes behind the shared variable of 5120 bytes");
  expectCheckCatches(moved("64"), 2, "must be aligned to 128 bytes, but lies 64 bytes behind such a place");
  expectCaught(with(kernelText, "box[%x1, %x0]", "box[%x1]"), 2,
               "a tensor of 2 dimensions must have as many coordinates, but got 1");
  const std::string other = with(kernelText, "%cluster, %map,", "%cluster, %other,");
  expectCaught(with(other, "%cluster = llvm",
                    "%other = llvm.getelementptr %map[8] : (!llvm.ptr) -> !llvm.ptr, i8\n    %cluster = llvm"),
               2, "it must name one of the 1 tensor maps of the kernel");
}

TEST(Boxes, Stored) {
  for (int swizzle : {0, 32, 64, 128})
    expectStored({{100, 72}, {32, swizzle ? swizzle / 2 : 40}, {5, 3}, swizzle});
  expectStored({{100, 72}, {32, 64}, {90, 40}, 128});
  expectStored({{7, 40, 64}, {4, 8, 32}, {-1, 36, 40}, 64});
}

TEST(Boxes, StoresWrong) {
  const std::string text = boxStore(plain), visible = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>} // visible",
                    read = "nvvm.cp.async.bulk.wait_group 0 {read} // read";
  expectCheckCatches(with(text, visible, ""), 2,
                     "read of 4096 bytes at .* by the asynchronous proxy of shared memory from "
                     "byte .* on, which thread .* has written with no fence.proxy.async in between");
  expectCheckCatches(with(text, "nvvm.barrier0 // filled", ""), 2,
                     "race: read of 4096 bytes at .*, shared memory from byte .* on, which thread .* has written|which "
                     "the block has not written");
  const std::string overwritten =
      "race: write of 4 bytes at .*, shared memory from byte .* on, which a bulk copy out of it, which has "
      "not been awaited, has read";
  expectCaught(with(text, read, ""), 2, overwritten);
  expectCaught(with(text, "nvvm.cp.async.bulk.commit.group // committed", ""), 2, overwritten);
  expectCaught(with(text, read, "nvvm.cp.async.bulk.wait_group 1 {read}"), 2, overwritten);
  expectCaught(with(with(text, read, ""), "    llvm.store %tid, %mine : i32, !llvm.ptr<3>", ""), 2,
               "all threads have ended, but thread 0 has not waited for its bulk copies out of shared memory");
}

TEST(Boxes, StoresOfManyThreads) {
  EmulatedKernels kernels(with(boxStore(plain), "llvm.icmp \"eq\" %tid, %i0", "llvm.icmp \"ule\" %tid, %i16"));
  ASSERT_TRUE(kernels.isLoaded());
  EXPECT_EXIT(launchAndExit(kernels, 2, 1, STRETTO_EMULATOR_CHECKS_FAST), testing::ExitedWithCode(70),
              "at most 16 threads of a block may make such copies");
}
} // namespace
