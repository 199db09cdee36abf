//===- EstimatedGpu.h - the GPU that kernels are divided and estimated for ----------===//
//
// An H200, whatever the chip: the architecture of a chip says what code may use, not how many multiprocessors a GPU of
// it has. docs/kernels-cuda.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace stretto::codegen {

inline constexpr int64_t multiprocessors = 132;
inline constexpr int64_t processorRegisters = 65536, processorThreads = 2048; // of a multiprocessor

// Of a nanosecond: cycles, and bytes of global memory that kernels read and write.
inline constexpr double cyclesOfNanosecond = 1.75, bytesOfNanosecond = 3870;

} // namespace stretto::codegen
