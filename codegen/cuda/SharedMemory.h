//===- SharedMemory.h - what kernels say of the shared memory of a block -------===//
//
// Static shared memory: variables of internal linkage in address space 3, of a size.
// Dynamic shared memory: an external variable there, `!llvm.array<0 x i8>`; any two are the same memory. A kernel that
// names one says in an attribute how many bytes a launch gives each of its blocks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace stretto::codegen {

/// What the static shared memory of a block may take, as ptxas has it.
inline constexpr int64_t mostStaticShared = 48 << 10;
/// What all of it may take on the GPUs that have most of it (sm_90).
inline constexpr int64_t mostShared = 227 << 10;
/// What each block takes of a multiprocessor's besides its own.
inline constexpr int64_t sharedOfSystem = 1024;
/// Of variables, in bytes.
inline constexpr int64_t sharedAlignment = 16;
/// The variable of generated kernels for dynamic shared memory, and what it is aligned to, in bytes: so that patterns
/// of TMA begin in it.
inline constexpr llvm::StringLiteral dynamicSharedName = "dynamic_shared";
inline constexpr int64_t dynamicSharedAlignment = 1024;

/// Attribute of a kernel (i64): how many bytes of dynamic shared memory a block has; none where it is not there.
inline constexpr llvm::StringLiteral dynamicSharedAttr = "kern.dynamic_shared_bytes";

inline int64_t dynamicSharedOf(mlir::LLVM::LLVMFuncOp kernel) {
  auto bytes = kernel->getAttrOfType<mlir::IntegerAttr>(dynamicSharedAttr);
  return bytes ? bytes.getInt() : 0;
}

/// Whether a variable in shared memory is the dynamic one.
inline bool isDynamicShared(mlir::LLVM::GlobalOp variable) {
  auto type = llvm::dyn_cast<mlir::LLVM::LLVMArrayType>(variable.getGlobalType());
  return variable.getLinkage() == mlir::LLVM::Linkage::External && type && type.getNumElements() == 0;
}

} // namespace stretto::codegen
