//===- BoxKernels.h - bulk tensor copies, written by hand -----------------------===//
#pragma once

#include <string>
#include <vector>

namespace stretto::test {

/// A tensor of bf16 in a buffer and a box of it, dimensions as #kern.tensor_map has them; where the box begins.
struct Box {
  std::vector<int> sizes, sides, from;
  int swizzle;

  int bytes() const;
  int bufferBytes() const;
};

/// a1 = the bytes of shared memory that a bulk copy of the box fills, read by 32 threads. Comments: "// visible",
/// "// initialised", "// announced", "// copied", "// awaited".
std::string boxCopy(const Box &box);

/// The other way: 32 threads bring a1 into shared memory, from where the box of a0 is written. Comments: "// filled",
/// "// visible", "// committed", "// read".
std::string boxStore(const Box &box);

} // namespace stretto::test
