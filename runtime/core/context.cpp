// The C functions that generated code calls (runtime/abi/abi.h).
#include "runtime/core/context.h"

#include <utility>

namespace stretto {

void Context::run(void (*entry)(stretto_context *)) {
  state.failure = nullptr;
  entry(&state);
  if (state.failure)
    std::rethrow_exception(std::exchange(state.failure, nullptr));
}

namespace {

// Runs `make` to get an op and submits it; after a failure nothing more is submitted.
template <typename Make> void submit(stretto_context *context, Make make) noexcept {
  const CallSite at = std::exchange(context->at, {});
  if (context->failure)
    return;
  try {
    context->device.submit(make(), at);
  } catch (...) {
    context->failure = std::current_exception();
  }
}

// Bytes from the first to the last element of `rows` rows of `columns` elements with a row stride.
int64_t span(int32_t dtype, int64_t rows, int64_t columns, int64_t stride) {
  return rows <= 0 || columns <= 0 ? 0 : ((rows - 1) * stride + columns) * elementBytes(dtype);
}

const int32_t *words(const Arenas &arenas, const stretto_buffer &buffer, int64_t count) {
  return static_cast<const int32_t *>(arenas.resolve(buffer, count * 4));
}

AttentionOp attentionOp(const stretto_context *context, const stretto_attention_args &args) {
  const Arenas &arenas = context->arenas;
  const int64_t rows = args.batch * args.length;
  const int64_t width = args.heads * args.head_dim, kvWidth = args.kv_heads * args.head_dim;
  AttentionOp op;
  op.dtype = args.dtype;
  op.batch = args.batch, op.length = args.length, op.heads = args.heads;
  op.kvHeads = args.kv_heads, op.headDim = args.head_dim;
  op.qStride = args.q_stride, op.kStride = args.k_stride, op.vStride = args.v_stride, op.oStride = args.o_stride;
  op.scale = args.scale, op.causal = args.causal != 0;
  op.q = arenas.resolve(args.q, span(op.dtype, rows, width, args.q_stride));
  op.k = arenas.resolve(args.k, span(op.dtype, rows, kvWidth, args.k_stride));
  op.v = arenas.resolve(args.v, span(op.dtype, rows, kvWidth, args.v_stride));
  op.o = arenas.resolve(args.o, span(op.dtype, rows, width, args.o_stride));
  op.lse = arenas.resolve(args.lse, span(context->dtype, rows, args.heads, args.heads));
  op.documents = args.documents;
  if (args.has_positions)
    op.positions = static_cast<const int32_t *>(arenas.resolve(args.positions, rows * 4));
  if (args.has_starts)
    op.starts = static_cast<const int32_t *>(arenas.resolve(args.starts, (args.documents + 1) * 4));
  return op;
}

} // namespace
} // namespace stretto

using namespace stretto;

extern "C" {

void stretto_at(stretto_context *context, const stretto_site *site, int64_t iteration) {
  context->at = {site, iteration};
}

void stretto_launch(stretto_context *context, const stretto_kernel *kernel, const stretto_buffer *buffers) {
  submit(context, [&]() -> Op {
    LaunchOp op{kernel, std::vector<void *>(kernel->buffers)};
    for (int64_t i = 0; i < kernel->buffers; ++i)
      op.buffers[i] = context->arenas.resolve(buffers[i], kernel->buffer_bytes ? kernel->buffer_bytes[i] : 0);
    return op;
  });
}

void stretto_matmul(stretto_context *context, const stretto_matmul_args *args) {
  submit(context, [&]() -> Op {
    const bool ta = args->transpose_a, tb = args->transpose_b;
    const Arenas &arenas = context->arenas;
    MatmulOp op;
    op.dtype = args->dtype, op.dtypeC = args->dtype_c;
    op.m = args->m, op.n = args->n, op.k = args->k;
    op.lda = args->lda, op.ldb = args->ldb, op.ldc = args->ldc;
    op.transposeA = ta, op.transposeB = tb, op.accumulate = args->accumulate != 0;
    op.a = arenas.resolve(args->a, span(op.dtype, ta ? op.k : op.m, ta ? op.m : op.k, op.lda));
    op.b = arenas.resolve(args->b, span(op.dtype, tb ? op.n : op.k, tb ? op.k : op.n, op.ldb));
    op.c = arenas.resolve(args->c, span(op.dtypeC, op.m, op.n, op.ldc));
    if (args->has_addend) {
      op.ldd = args->ldd;
      op.d = arenas.resolve(args->d, span(op.dtypeC, op.m, op.n, op.ldd));
    }
    return op;
  });
}

void stretto_attention(stretto_context *context, const stretto_attention_args *args) {
  submit(context, [&]() -> Op { return attentionOp(context, *args); });
}

void stretto_attention_grad(stretto_context *context, const stretto_attention_grad_args *args) {
  submit(context, [&]() -> Op {
    AttentionGradOp op;
    op.forward = attentionOp(context, args->forward);
    const int64_t rows = op.forward.batch * op.forward.length;
    const int64_t width = op.forward.heads * op.forward.headDim, kvWidth = op.forward.kvHeads * op.forward.headDim;
    op.dOutStride = args->do_stride, op.dqStride = args->dq_stride;
    op.dkStride = args->dk_stride, op.dvStride = args->dv_stride;
    op.dOut = context->arenas.resolve(args->d_o, span(op.forward.dtype, rows, width, args->do_stride));
    op.dq = context->arenas.resolve(args->d_q, span(op.forward.dtype, rows, width, args->dq_stride));
    op.dk = context->arenas.resolve(args->d_k, span(op.forward.dtype, rows, kvWidth, args->dk_stride));
    op.dv = context->arenas.resolve(args->d_v, span(op.forward.dtype, rows, kvWidth, args->dv_stride));
    return op;
  });
}

void stretto_embed(stretto_context *context, const stretto_embed_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    const int64_t rows = args->rows, width = args->width;
    return EmbedOp{context->dtype, rows, width, args->vocabulary,
                   static_cast<const int32_t *>(arenas.resolve(args->tokens, rows * 4)),
                   arenas.resolve(args->table, span(context->dtype, args->vocabulary, width, width)),
                   arenas.resolve(args->out, span(context->dtype, rows, width, width))};
  });
}

void stretto_embed_grad(stretto_context *context, const stretto_embed_grad_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    const int64_t rows = args->rows, width = args->width;
    return EmbedGradOp{context->dtype, rows, width, args->vocabulary, args->accumulate != 0,
                       static_cast<const int32_t *>(arenas.resolve(args->tokens, rows * 4)),
                       arenas.resolve(args->d_out, span(context->dtype, rows, width, width)),
                       arenas.resolve(args->d_table, span(context->dtype, args->vocabulary, width, width))};
  });
}

void stretto_write_cache(stretto_context *context, const stretto_write_cache_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    const int64_t rows = args->batch * args->rows;
    const int64_t from = rows <= 0 ? 0 : (rows - 1) * args->from_stride + args->row_bytes;
    return WriteCacheOp{args->batch, args->rows, args->capacity, args->row_bytes, args->from_stride,
                        arenas.resolve(args->from, from), words(arenas, args->positions, rows),
                        words(arenas, args->counts, args->batch),
                        arenas.resolve(args->cache, args->batch * args->capacity * args->row_bytes)};
  });
}

void stretto_read_cache(stretto_context *context, const stretto_read_cache_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    const int64_t rows = args->batch * args->rows;
    return ReadCacheOp{args->batch, args->rows, args->capacity, args->row_bytes, args->back,
                       arenas.resolve(args->cache, args->batch * args->capacity * args->row_bytes),
                       words(arenas, args->positions, rows), arenas.resolve(args->to, rows * args->row_bytes)};
  });
}

void stretto_last_row(stretto_context *context, const stretto_last_row_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    return LastRowOp{args->batch, args->rows, args->row_bytes,
                     arenas.resolve(args->from, args->batch * args->rows * args->row_bytes),
                     words(arenas, args->counts, args->batch), arenas.resolve(args->to, args->batch * args->row_bytes)};
  });
}

void stretto_attention_step(stretto_context *context, const stretto_attention_step_args *args) {
  submit(context, [&]() -> Op {
    const Arenas &arenas = context->arenas;
    const int64_t rows = args->batch * args->rows, keys = args->batch * args->capacity;
    const int64_t width = args->heads * args->head_dim, kvWidth = args->kv_heads * args->head_dim;
    AttentionStepOp op;
    op.dtype = args->dtype;
    op.batch = args->batch, op.rows = args->rows, op.capacity = args->capacity;
    op.heads = args->heads, op.kvHeads = args->kv_heads, op.headDim = args->head_dim;
    op.qStride = args->q_stride, op.oStride = args->o_stride;
    op.scale = args->scale;
    op.q = arenas.resolve(args->q, span(op.dtype, rows, width, op.qStride));
    op.k = arenas.resolve(args->k, span(op.dtype, keys, kvWidth, kvWidth));
    op.v = arenas.resolve(args->v, span(op.dtype, keys, kvWidth, kvWidth));
    op.positions = words(arenas, args->positions, rows);
    op.counts = words(arenas, args->counts, args->batch);
    op.o = arenas.resolve(args->o, span(op.dtype, rows, width, op.oStride));
    return op;
  });
}

void stretto_zero(stretto_context *context, const stretto_buffer *buffer, int64_t bytes) {
  submit(context, [&]() -> Op { return ZeroOp{context->arenas.resolve(*buffer, bytes), bytes}; });
}

void stretto_copy(stretto_context *context, const stretto_copy_args *args) {
  submit(context, [&]() -> Op {
    auto place = [&](const stretto_buffer &buffer, int64_t stride) {
      const int64_t bytes = args->rows <= 0 ? 0 : (args->rows - 1) * stride + args->row_bytes;
      return context->arenas.resolve(buffer, bytes);
    };
    return CopyOp{args->rows, args->row_bytes, args->from_stride, args->to_stride,
                  place(args->from, args->from_stride), place(args->to, args->to_stride)};
  });
}

} // extern "C"
