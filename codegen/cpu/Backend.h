//===- Backend.h - programs for the CPU -----------------------------------------===//
#pragma once

#include "codegen/target/Backend.h"

namespace stretto::codegen {

/// Kernels are functions of the host, each for a range of rows.
const Backend &cpuBackend();

} // namespace stretto::codegen
