//===- Passes.h - kernels as machine code of the GPU ---------------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/cuda/binary/Passes.h.inc"
} // namespace stretto
