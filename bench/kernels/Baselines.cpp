//===- Baselines.cpp - what memory alone allows ---------------------------------===//
#include "bench/kernels/Baselines.h"

#include <cstring>

void stretto::bench::copy(float *to, const float *from, size_t count) { std::memcpy(to, from, count * sizeof(float)); }

void stretto::bench::addStreams(float *__restrict to, const float *__restrict a, const float *__restrict b,
                                size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = a[i] + b[i];
}
