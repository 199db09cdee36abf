//===- TileKernels.h - matmuls by warps, written by hand -----------===//
#pragma once

#include <string>

namespace stretto::test {

/// Rows of 8 numbers of 16 bits, 32 of them, in a0; a1: i32[14][32], the registers of each lane that names the row of
/// its number: of one, two and four matrices, then of the same transposed.
extern const std::string matrixLoads;

/// Of a0, i32[14][32], the registers of each lane: stored as one, two and four matrices, then the same transposed, into
/// shared memory and from there, row by row, into a1: i16[14][8][8].
extern const std::string matrixStores;

/// a2 = a0 a1, one warp: bf16 [16,16] and [16,8], f32 [16,8]. The factors are copied into dynamic shared memory.
extern const std::string smallMatmul;

/// a2 += a0 a1, one warp, fragments straight from memory: f32 [16,8], [8,8] and [16,8] by tf32, where the numbers of a0
/// are rounded and those of a1 are not; f64 [8,4], [4,8] and [8,8].
extern const std::string tf32Matmul, f64Matmul;

/// a2 = a0 a1, 4 warps: bf16 [60,64] and [64,64], f32 [60,64]. Tiles of 64 rows (the last four are zeros), 64 columns
/// and 16 terms take turns in two buffers of shared memory, 64 KiB apart: the next one is copied while one is
/// multiplied. Comments behind waits and barriers name the turn, 0 to 3: "// of 0", "// filled 0", "// drained 0".
extern const std::string tiledMatmul;

} // namespace stretto::test
