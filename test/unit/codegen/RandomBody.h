//===- RandomBody.h - fused kernels at random -----------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace stretto::test {

/// A function `name` with one kern.rowwise of random shape and operations; the same seed, the same text.
std::string randomBody(const std::string &name, uint64_t seed);

} // namespace stretto::test
