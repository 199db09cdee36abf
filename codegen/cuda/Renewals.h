//===- Renewals.h - where a kernel computes addresses anew ---------------------===//
//
// Addresses and masks follow from the number of the thread. Compilers compute all of them in front of a loop, and there
// may not be registers for them. A renewal gives that number by a shuffle from the lane itself, through which no
// compiler looks: what follows from it is computed behind it. It costs instructions, so a kernel offers one in each of
// its steps, and how many of them are made is decided where its registers are known.
#pragma once

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace stretto::codegen {

/// Attribute of a shuffle that is a renewal (i64): the number of its step; 0: it begins a chunk.
inline constexpr llvm::StringLiteral renewalAttr = "kern.renewal";
/// Attribute of a kernel (i64): renewals are made in each so-manieth step, and where chunks begin; 0: none are.
inline constexpr llvm::StringLiteral renewedStepsAttr = "kern.renewed_steps";

/// Whether a kernel offers renewals.
bool hasRenewals(mlir::LLVM::LLVMFuncOp kernel);
/// The value of the attribute, or what is usual where it is not there.
int64_t renewedStepsOf(mlir::LLVM::LLVMFuncOp kernel);
void setRenewedSteps(mlir::LLVM::LLVMFuncOp kernel, int64_t steps);
/// Removes the renewals of a kernel that are not made.
void dropRenewals(mlir::LLVM::LLVMFuncOp kernel);

} // namespace stretto::codegen
