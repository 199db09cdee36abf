/* What compiler and runtime agree on for matmuls of experts on a GPU. Plain C. */
#ifndef STRETTO_RUNTIME_ABI_EXPERTS_H
#define STRETTO_RUNTIME_ABI_EXPERTS_H

#include <stdint.h>

/* Whether LibTorch computes rows of experts by the weights of their own experts alone, in grouped matmuls, on a GPU that
 * has them (compute capability 9 or 10): in bf16, rows of `in` columns to `out`, each a multiple of 16 bytes. */
static inline int stretto_are_grouped_matmuls(int is_bf16, int64_t in, int64_t out, int64_t experts) {
  return is_bf16 && in % 8 == 0 && out % 8 == 0 && experts <= 1023;
}

#endif
