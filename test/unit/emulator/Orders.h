//===- Orders.h - launches in several orders ------------------------------------===//
#pragma once

#include "runtime/abi/emulator.h"

#include <gtest/gtest.h>
#include <string>

namespace stretto::test {

/// Several orders of warps and blocks, several ways to divide a launch, with all checks.
template <typename Run> void underSeveralOrders(const Run &run) {
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  for (uint64_t seed : {0, 1, 2, 3})
    for (int64_t calls : {1, 3}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", calls " + std::to_string(calls));
      stretto_emulator_set_seed(seed);
      run(calls);
    }
}

template <typename T> struct alignas(64) Buffer {
  T data[1024] = {};
};

} // namespace stretto::test
