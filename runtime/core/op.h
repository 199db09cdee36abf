// What a device can be asked to do. Ops hold resolved addresses; a device may run them later, in order.
#pragma once

#include "runtime/abi/abi.h"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace stretto {

// Bytes of one element.
constexpr int64_t elementBytes(int32_t dtype) { return dtype == STRETTO_F64 ? 8 : dtype == STRETTO_BF16 ? 2 : 4; }

struct LaunchOp {
  const stretto_kernel *kernel = nullptr;
  std::vector<void *> buffers;
};

// See stretto_matmul_args.
struct MatmulOp {
  int32_t dtype = STRETTO_F32, dtypeC = STRETTO_F32;
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  bool transposeA = false, transposeB = false, accumulate = false;
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr;
  const void *d = nullptr; // null: nothing is added but C where it accumulates
  int64_t ldd = 0;
};

// See stretto_attention_args; o and lse are written.
struct AttentionOp {
  int32_t dtype = STRETTO_F32;
  int64_t batch = 0, length = 0, heads = 0, kvHeads = 0, headDim = 0;
  int64_t qStride = 0, kStride = 0, vStride = 0, oStride = 0;
  double scale = 1;
  bool causal = true;
  void *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr, *lse = nullptr;
  const int32_t *positions = nullptr, *starts = nullptr; // null where rows are one document each, or starts not told
  int64_t documents = 0;
};

// See stretto_attention_grad_args; o and lse of `forward` are read.
struct AttentionGradOp {
  AttentionOp forward;
  int64_t dOutStride = 0, dqStride = 0, dkStride = 0, dvStride = 0;
  void *dOut = nullptr, *dq = nullptr, *dk = nullptr, *dv = nullptr;
};

// See stretto_embed_args.
struct EmbedOp {
  int32_t dtype = STRETTO_F32;
  int64_t rows = 0, width = 0, vocabulary = 0;
  const int32_t *tokens = nullptr;
  const void *table = nullptr;
  void *out = nullptr;
};

// See stretto_embed_grad_args.
struct EmbedGradOp {
  int32_t dtype = STRETTO_F32;
  int64_t rows = 0, width = 0, vocabulary = 0;
  bool accumulate = false;
  const int32_t *tokens = nullptr;
  const void *dOut = nullptr;
  void *dTable = nullptr;
};

// See stretto_write_cache_args.
struct WriteCacheOp {
  int64_t batch = 0, rows = 0, capacity = 0, rowBytes = 0, fromStride = 0;
  const void *from = nullptr;
  const int32_t *positions = nullptr, *counts = nullptr;
  void *cache = nullptr;
};

// See stretto_read_cache_args.
struct ReadCacheOp {
  int64_t batch = 0, rows = 0, capacity = 0, rowBytes = 0, back = 0;
  const void *cache = nullptr;
  const int32_t *positions = nullptr;
  void *to = nullptr;
};

// See stretto_last_row_args.
struct LastRowOp {
  int64_t batch = 0, rows = 0, rowBytes = 0;
  const void *from = nullptr;
  const int32_t *counts = nullptr;
  void *to = nullptr;
};

// See stretto_attention_step_args.
struct AttentionStepOp {
  int32_t dtype = STRETTO_F32;
  int64_t batch = 0, rows = 0, capacity = 0, heads = 0, kvHeads = 0, headDim = 0, qStride = 0, oStride = 0;
  double scale = 1;
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  const int32_t *positions = nullptr, *counts = nullptr;
  void *o = nullptr;
};

struct ZeroOp {
  void *data = nullptr;
  int64_t bytes = 0;
};

// See stretto_copy_args.
struct CopyOp {
  int64_t rows = 0, rowBytes = 0, fromStride = 0, toStride = 0;
  const void *from = nullptr;
  void *to = nullptr;
};

// Host to device; holds its own copy of the data.
struct CopyInOp {
  void *destination = nullptr;
  std::vector<std::byte> data;
};

// Device to host; the destination is valid after Device::wait.
struct CopyOutOp {
  void *destination = nullptr;
  const void *source = nullptr;
  int64_t bytes = 0;
};

// Makes ready for the ops of a program: scratch memory is taken, and libraries take theirs, so that nothing more is
// needed while the program runs. Addresses in the ops are not looked at.
struct ReserveOp {
  std::vector<MatmulOp> products; // each size, type and stride once; so below
  std::vector<AttentionOp> attention;
  std::vector<AttentionGradOp> attentionGrad;
  std::vector<AttentionStepOp> attentionStep;
  int64_t kernelScratch = 0; // bytes that a thread needs for the hungriest kernel
};

// Where an op comes from in the source; null for what the runtime does on its own account.
struct CallSite {
  const stretto_site *site = nullptr;
  int64_t iteration = -1; // of the scan it is in, or -1
};

using Op = std::variant<LaunchOp, MatmulOp, AttentionOp, AttentionGradOp, EmbedOp, EmbedGradOp, WriteCacheOp, ReadCacheOp,
                        LastRowOp, AttentionStepOp, ZeroOp, CopyOp, CopyInOp, CopyOutOp, ReserveOp>;

} // namespace stretto
