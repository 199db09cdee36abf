//===- Faults.cpp - launches that the emulator must end with an error ----===//
#include "Faults.h"

#include <unistd.h>

using namespace stretto::test;

void stretto::test::launchAndExit(const EmulatedKernels &kernels, int buffers, uint64_t seed,
                                  stretto_emulator_checks checks) {
  stretto_emulator_set_seed(seed);
  stretto_emulator_set_checks(checks);
  std::vector<Memory> memory(buffers);
  std::vector<void *> addresses;
  for (Memory &each : memory)
    addresses.push_back(each.data);
  kernels.launch("k", addresses);
  _exit(0);
}

void stretto::test::expectCaught(const std::string &text, int buffers, const std::string &message) {
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  for (uint64_t seed : {0, 1, 2})
    EXPECT_EXIT(launchAndExit(kernels, buffers, seed, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(70),
                message);
}

void stretto::test::expectCheckCatches(const std::string &text, int buffers, const std::string &message) {
  expectCaught(text, buffers, message);
  if (stretto::codegen::runsUnderAddressSanitizer) // which sees it, too
    return;
  EmulatedKernels kernels(text);
  EXPECT_EXIT(launchAndExit(kernels, buffers, 0, STRETTO_EMULATOR_CHECKS_NONE), testing::ExitedWithCode(0), "");
}
