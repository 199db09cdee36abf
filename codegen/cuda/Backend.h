//===- Backend.h - programs for GPUs of NVIDIA's --------------------------------===//
#pragma once

#include "codegen/target/Backend.h"

namespace stretto::codegen {

/// Kernels are images of machine code in the program, or, emulated, functions of the host.
const Backend &cudaBackend();

} // namespace stretto::codegen
