//===- Passes.h - kernels for CUDA ----------------------------------------------===//
#pragma once

#include "codegen/cuda/EstimatedGpu.h"
#include "ir/kern/KernOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen
