//===- Faults.h - kernels that the emulator must stop ---------------------------===//
#pragma once

#include "EmulatedKernels.h"

#include <gtest/gtest.h>

namespace stretto::test {

/// A buffer of zeros.
struct alignas(64) Memory {
  char data[65536] = {};
};

/// Launches kernel k with zeroed buffers and ends the process: with status 0, unless the emulator has ended it.
void launchAndExit(const EmulatedKernels &kernels, int buffers, uint64_t seed, stretto_emulator_checks checks);

/// In every order the process ends with this message.
void expectCaught(const std::string &text, int buffers, const std::string &message);

/// The same, and that it is the checks that see it.
void expectCheckCatches(const std::string &text, int buffers, const std::string &message);

} // namespace stretto::test
