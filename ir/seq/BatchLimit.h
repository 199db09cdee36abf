//===- BatchLimit.h - how large a batch can be ---------------------------------===//
#pragma once

#include <cstdint>

namespace stretto {

/// Tokens of a batch, at most: their numbers are 32 bits wide.
inline constexpr int64_t mostBatchTokens = INT32_MAX;

/// Whether so many sequences of so many tokens (at least 1 each) are not too many for a batch.
constexpr bool fitsBatch(int64_t batch, int64_t length) { return batch <= mostBatchTokens / length; }

} // namespace stretto
