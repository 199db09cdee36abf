//===- Kernels.h - small CUDA kernels, written by hand --------------------------===//
#pragma once

#include <string>

namespace stretto::test {

/// A kernel @k with a buffer of so many bytes for each of %a0, %a1, ...; `body` has %tid, %block, %isLow (%tid < 32),
/// the constants %i0, %i1, %i5, %i16, %i31 and %all (-1), all i32, shared variables @tile (2048 bytes) and @sums (128
/// bytes), `dynamicShared` bytes of dynamic shared memory at @dynamic, and the function @square.
std::string kernel(int blocks, int threads, const std::string &bufferBytes, int buffers, const std::string &body,
                   int dynamicShared = 0);

/// a2[i] = 2 * a0[i] + a1[i] for i < 150: f32, 3 blocks of 64 threads.
extern const std::string elementwise;
/// a1[b] = sum of a0[128 b .. 128 b + 127]: f32, 4 blocks of 128 threads; by shuffles, then through shared memory.
extern const std::string reduction;
/// a1[i] = a0[255 - i], 256 f32, one block of 64 threads; through shared memory, by asynchronous copies of 16 bytes.
extern const std::string staging;

/// a1[i] = a0[i] as bf16, a2[i] = that times bf16 1.5, rounded to bf16; 512 numbers, one block of 64 threads.
extern const std::string conversion;
/// Of 64 f32 a0: a1 holds for each thread ballot, any, all, uni of a0 > 0 and its warp's sum, maximum (signed), maximum
/// (unsigned), minimum, and, or, xor of tid - 3; i32[11][64].
extern const std::string votes;
/// Of tid: a0 holds bfly 5, idx 7, up 3, down 3, down 3 in segments of 8, whether that was in range; i32[6][64].
extern const std::string shuffles;
/// a1[i] = exp(a0[i]) + 1 / sqrt(a0[i]) + square(a0[i]), 64 f32.
extern const std::string functions;
/// a0[i] = (i ^ 1) + i / 32 * 32, by shared memory and two synchronisations of the warp; i32[64].
extern const std::string neighbours;

} // namespace stretto::test
