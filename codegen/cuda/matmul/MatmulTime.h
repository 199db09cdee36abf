//===- MatmulTime.h - the GPU that times of matmuls are estimated for ---------------===//
//
// An H200: docs/kernels-cuda.md.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace stretto::codegen {

// Of a nanosecond: cycles, and bytes of global memory that kernels read and write.
inline constexpr double cyclesOfNanosecond = 1.75, bytesOfNanosecond = 3870;

} // namespace stretto::codegen
