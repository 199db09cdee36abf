//===- FaultsTest.cpp - what is wrong with a kernel is said ----------------------===//
#include "EmulatedKernels.h"
#include "Kernels.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace stretto::test;

namespace {
struct alignas(64) Memory {
  char data[4096 + 64] = {};
};

/// Launches kernel k with zeroed buffers and ends the process: with status 0, unless the emulator has ended it.
void launchAndExit(const EmulatedKernels &kernels, int buffers, uint64_t seed, stretto_emulator_checks checks) {
  stretto_emulator_set_seed(seed);
  stretto_emulator_set_checks(checks);
  std::vector<Memory> memory(buffers);
  std::vector<void *> addresses;
  for (Memory &each : memory)
    addresses.push_back(each.data);
  kernels.launch("k", addresses);
  _exit(0);
}

/// In every order the process ends with this message.
void expectCaught(const std::string &text, int buffers, const std::string &message) {
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  for (uint64_t seed : {0, 1, 2})
    EXPECT_EXIT(launchAndExit(kernels, buffers, seed, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(70), message);
}

/// The same, and that it is the checks that see it.
void expectCheckCatches(const std::string &text, int buffers, const std::string &message) {
  expectCaught(text, buffers, message);
  EmulatedKernels kernels(text);
  EXPECT_EXIT(launchAndExit(kernels, buffers, 0, STRETTO_EMULATOR_CHECKS_NONE), testing::ExitedWithCode(0), "");
}

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
} // namespace
