//===- Kernels.h - small CUDA kernels, written by hand --------------------------===//
#pragma once

#include <string>

namespace stretto::test {

/// A kernel @k with a buffer of so many bytes for each of %a0, %a1, ...; `body` has %tid, %block, the constants %i0, %i1,
/// %i4, %i5, %i16, %i31 and %all (-1), all i32, and shared variables @tile (2048 bytes) and @sums (128 bytes).
std::string kernel(int blocks, int threads, const std::string &bufferBytes, int buffers, const std::string &body);

/// a2[i] = 2 * a0[i] + a1[i] for i < 150: f32, 3 blocks of 64 threads.
extern const std::string elementwise;
/// a1[b] = sum of a0[128 b .. 128 b + 127]: f32, 4 blocks of 128 threads; by shuffles, then through shared memory.
extern const std::string reduction;
/// a1[i] = a0[255 - i], 256 f32, one block of 64 threads; through shared memory, by asynchronous copies of 16 bytes.
extern const std::string staging;

} // namespace stretto::test
