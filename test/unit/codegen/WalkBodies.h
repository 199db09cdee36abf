//===- WalkBodies.h - walks that tests write by hand ----------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace stretto::test {

/// Rows and columns of tiles, multiples of 16, and the type of their numbers.
struct TileSizes {
  int64_t rows = 16, columns = 16;
  std::string real = "f32";
};

/// A function of its own name for each operation, on tiles of these sizes.
std::string elementwiseWalks(const TileSizes &sizes);
std::string matmulWalks(const TileSizes &sizes);
std::string reductionWalks(const TileSizes &sizes);
std::string columnWalks(const TileSizes &sizes);
/// The inverse of I + the strict lower part of m / 32; with it, what solves such systems and their transposes.
std::string inverseWalks(const TileSizes &sizes);
/// Matmuls of bf16; the sizes are those of f32 tiles that are rounded.
std::string roundedWalks(const TileSizes &sizes);
/// What tiles are parts of: programs and their parts, padding, spans, initial states, states every few chunks.
std::string windowWalks(const std::string &real);
/// Spans whose ends are stored, also of lists and in reverse; walks over what they stored; numbers of programs.
std::string spanWalks(const std::string &real);
/// Linear attention with one decay for each head and token, in chunks of 64.
std::string linearAttention(const std::string &real);
/// Mixers with their gradients: a decay for each key channel, and the delta rule with a decay for each head. Four
/// chunks of 64, the last of them short; `documents`: masked.
std::string mixers(const std::string &real, bool documents);
/// The same walks, but what they carry lies in shared memory.
std::string withSharedState(std::string walks);

} // namespace stretto::test
