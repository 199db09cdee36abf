//===- Baselines.h - what memory alone allows -----------------------------------===//
#pragma once

#include <cstddef>

namespace stretto::bench {
/// to[i] = from[i], by memcpy.
void copy(float *to, const float *from, size_t count);
/// to[i] = a[i] + b[i].
void addStreams(float *to, const float *a, const float *b, size_t count);
} // namespace stretto::bench
