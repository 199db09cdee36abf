//===- Passes.h - kernels as machine code of the GPU ---------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/cuda/binary/Passes.h.inc"
} // namespace stretto::codegen
