// The C functions that generated code calls (runtime/abi/abi.h).
#include "runtime/core/context.h"

#include "runtime/core/op_table.h"

#include <utility>

namespace stretto::runtime {

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

// Submits the op of a call with an argument struct.
template <typename Call> void call(stretto_context *context, const typename Call::Args *args) {
  submit(context, [&] {
    Op op = Call{{*args, context->dtype}};
    resolve(op, context->arenas);
    return op;
  });
}

} // namespace
} // namespace stretto::runtime

using namespace stretto;
using namespace stretto::runtime;

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

void stretto_library(stretto_context *context, const stretto_library_args *args) {
  submit(context, [&]() -> Op {
    const size_t count = args->operands + args->results;
    LibraryOp op{args->name,
                 {args->tensors, args->tensors + count},
                 {},
                 static_cast<size_t>(args->operands),
                 {args->numbers, args->numbers + args->number_count},
                 args->flops};
    for (const stretto_tensor &tensor : op.tensors)
      op.buffers.push_back(context->arenas.resolve(tensor.buffer, bytesOf(tensor)));
    return op;
  });
}

void stretto_zero(stretto_context *context, const stretto_buffer *buffer, int64_t bytes) {
  submit(context, [&]() -> Op { return ZeroOp{context->arenas.resolve(*buffer, bytes), bytes}; });
}

void stretto_matmul(stretto_context *context, const stretto_matmul_args *args) { call<MatmulOp>(context, args); }
void stretto_attention(stretto_context *context, const stretto_attention_args *args) {
  call<AttentionOp>(context, args);
}
void stretto_attention_grad(stretto_context *context, const stretto_attention_grad_args *args) {
  call<AttentionGradOp>(context, args);
}
void stretto_embed(stretto_context *context, const stretto_embed_args *args) { call<EmbedOp>(context, args); }
void stretto_embed_grad(stretto_context *context, const stretto_embed_grad_args *args) {
  call<EmbedGradOp>(context, args);
}
void stretto_write_cache(stretto_context *context, const stretto_write_cache_args *args) {
  call<WriteCacheOp>(context, args);
}
void stretto_read_cache(stretto_context *context, const stretto_read_cache_args *args) {
  call<ReadCacheOp>(context, args);
}
void stretto_last_row(stretto_context *context, const stretto_last_row_args *args) { call<LastRowOp>(context, args); }
void stretto_attention_step(stretto_context *context, const stretto_attention_step_args *args) {
  call<AttentionStepOp>(context, args);
}
void stretto_copy(stretto_context *context, const stretto_copy_args *args) { call<CopyOp>(context, args); }

} // extern "C"
