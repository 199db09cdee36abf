//===- LaunchRegisters.h - registers that the warps of a kernel exchange ------------===//
//
// A block is launched with as many registers for each of its threads. Four warps (a warpgroup) may then give
// some back, and others take them (`setmaxnreg`). A quarter of a multiprocessor has the registers of each fourth warp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {

/// Attribute of a kernel whose warps exchange registers (i64): those of a thread at launch.
inline constexpr llvm::StringLiteral launchRegistersAttr = "kern.launch_registers";

/// What a thread can be launched with, in eights, where a block has `threads`.
inline int64_t mostLaunchRegisters(int64_t threads) {
  constexpr int64_t ofQuarter = 512; // for one lane of its warps
  constexpr int64_t mostOfThread = 248, warpgroupThreads = 128;
  int64_t warpgroups = static_cast<int64_t>(llvm::divideCeil(threads, warpgroupThreads));
  return std::min<int64_t>(mostOfThread, llvm::alignDown(ofQuarter / warpgroups, 8));
}

/// What a kernel says, or else the most.
inline int64_t launchRegistersOf(mlir::Operation *kernel, int64_t threads) {
  auto registers = kernel->getAttrOfType<mlir::IntegerAttr>(launchRegistersAttr);
  return registers ? registers.getInt() : mostLaunchRegisters(threads);
}

} // namespace stretto::codegen
