// What the environment (or a test) asks of the emulator.
#pragma once

#include "runtime/abi/emulator.h"

namespace stretto::emulator {

struct Settings {
  uint64_t seed; // 0: warps and blocks run in order
  stretto_emulator_checks checks;
};

// STRETTO_EMULATOR_SEED and STRETTO_EMULATOR_CHECKS, read at first use, or what was set since.
Settings settings();

} // namespace stretto::emulator
