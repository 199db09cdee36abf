//===- CudaFaults.h - ways to break a generated CUDA kernel -----------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <functional>
#include <string>

namespace stretto::test {

/// Breaks the `number`th place of a kernel that can be broken this way, and says which it is ("store 2 to carried");
/// empty where there is no such place.
using Fault = std::function<std::string(mlir::LLVM::LLVMFuncOp, int64_t number)>;

std::string removeBarrier(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// A barrier of some threads of a block, by number.
std::string removeNumberedBarrier(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Asynchronous copies are not waited for.
std::string removeWait(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Registers are not given back.
std::string removeGiving(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// A wait for an mbarrier, an arrival at one, lanes of a warp that meet.
std::string removePhaseWait(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string removeArrival(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string removeWarpBarrier(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// An mbarrier waits for half of the bytes that copies bring.
std::string halveExpectedBytes(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Initialised mbarriers are not made visible to copies.
std::string removeInitFence(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Matmuls of a warpgroup are not waited for, or begin without a fence.
std::string removeMatmulWait(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string removeMatmulFence(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Copies by a tensor map leave blocks of 16 bytes where they are.
std::string removeSwizzle(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Of a cluster: blocks wait for their own threads only where they should meet; copies come to their own block only; a
/// stage counts as empty when the block's own readers are done, twice over.
std::string meetAlone(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string copyAlone(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string awaitOwnReaders(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Of a shuffle: half the lanes of its mask are left, or each lane reads its own number.
std::string halveMask(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string shuffleNowhere(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Stores to global memory behind a condition, without regard to that.
std::string neverStore(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string alwaysStore(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// A counted loop ends before its last turn.
std::string skipTail(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// Accesses four bytes further on.
std::string shiftSharedStore(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string shiftSharedLoad(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
std::string shiftGlobalLoad(mlir::LLVM::LLVMFuncOp kernel, int64_t number);
/// In additions, the constant `from` becomes `to`.
Fault change(int64_t from, int64_t to);

} // namespace stretto::test
