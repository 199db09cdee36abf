//===- RandomBody.h - fused kernels at random -----------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace stretto::test {

/// A function `name` with one kern.rowwise of random shape and operations; the same seed, the same text.
std::string randomBody(const std::string &name, uint64_t seed);

/// The same without reductions, and with at least one sum of columns.
std::string randomBodyWithoutReductions(const std::string &name, uint64_t seed);

/// The same, the first operand of the kernel being the result of a matmul: the function's first arguments are those of
/// this, rows of at most 40 and a weight.
std::string randomBodyBehindMatmul(const std::string &name, uint64_t seed);

/// The same of f32, with sizes that tensor cores take in bf16: up to 240 rows in all.
std::string randomBodyForTensorCores(const std::string &name, uint64_t seed);

} // namespace stretto::test
