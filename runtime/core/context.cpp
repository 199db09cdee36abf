// The C functions that generated code calls (runtime/abi/abi.h).
#include "runtime/core/context.h"

#include "runtime/core/error.h"
#include "runtime/core/op_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stretto::runtime {
namespace {

// Sets a field of the context while an entry runs.
template <typename Field> class With {
public:
  With(Field &field, Field value) : field(field) { field = value; }
  ~With() { field = {}; }

private:
  Field &field;
};

} // namespace

void Context::run(void (*entry)(stretto_context *)) {
  state.failure = nullptr;
  entry(&state);
  if (state.failure)
    std::rethrow_exception(std::exchange(state.failure, nullptr));
}

void Context::run(void (*entry)(stretto_context *), const RowRange &rows) {
  const With with(state.rows, &rows);
  run(entry);
}

void Context::run(void (*entry)(stretto_context *), const RowRange &rows, SideStream &side) {
  const With with(state.side, &side);
  run(entry, rows);
}

void Context::run(void (*entry)(stretto_context *), const ExchangeHooks &hooks) {
  const With with(state.hooks, &hooks);
  run(entry);
}

LaunchOp launchOn(const stretto_kernel &kernel, const stretto_buffer *buffers, const RowRange &rows,
                  const Arenas &arenas) {
  const int64_t all = kernel.chunks * kernel.chunk_rows, step = std::max<int64_t>(1, kernel.chunk_rows);
  if (!kernel.chunk_bytes || rows.begin % step != 0 || (rows.end % step != 0 && rows.end + step <= all))
    throw Error(
        fmt::format("the kernel '{}' must have chunks that begin and end with rows {} and {}, but has chunks of {} "
                    "rows",
                    kernel.name, rows.begin, rows.end, kernel.chunk_rows));
  LaunchOp op(&kernel, {}, rows.begin / step, std::min(kernel.chunks, (rows.end + step - 1) / step));
  for (int64_t i = 0; i < kernel.buffers; ++i) {
    const int64_t ofChunk = kernel.chunk_bytes[i], first = op.begin * ofChunk;
    const int64_t bytes = ofChunk ? std::min(kernel.buffer_bytes[i], op.end * ofChunk) - first : kernel.buffer_bytes[i];
    const stretto_buffer part{buffers[i].arena, 0, buffers[i].offset + first};
    op.buffers.push_back(static_cast<char *>(arenas.resolve(part, bytes)) - first);
  }
  return op;
}

namespace {

// Runs `make` to get an op and submits it; after a failure nothing more is submitted.
template <typename Make> void submit(stretto_context *context, Make make) noexcept {
  const CallSite at = std::exchange(context->at, {});
  if (context->failure)
    return;
  try {
    if (context->side)
      context->side->submit(make());
    else
      context->device.submit(make(), at);
  } catch (...) {
    context->failure = std::current_exception();
  }
}

// Calls a hook, where there is one.
void tell(stretto_context *context, std::function<void(int64_t)> ExchangeHooks::*hook, int64_t buckets) noexcept {
  if (!context->hooks || !(context->hooks->*hook) || context->failure)
    return;
  try {
    (context->hooks->*hook)(buckets);
  } catch (...) {
    context->failure = std::current_exception();
  }
}

// Submits the op of a call with an argument struct.
template <typename Args> void call(stretto_context *context, const Args &args) {
  submit(context, [&] {
    Op op = opOf(args, context->dtype);
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
    if (context->rows)
      return launchOn(*kernel, buffers, *context->rows, context->arenas);
    LaunchOp op(kernel, std::vector<void *>(kernel->buffers));
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

void stretto_ready(stretto_context *context, int64_t buckets) { tell(context, &ExchangeHooks::ready, buckets); }
void stretto_await(stretto_context *context, int64_t buckets) { tell(context, &ExchangeHooks::await, buckets); }

void stretto_zero(stretto_context *context, const stretto_buffer *buffer, int64_t bytes) {
  submit(context, [&]() -> Op { return ZeroOp{context->arenas.resolve(*buffer, bytes), bytes}; });
}

#define CALL(name)                                                                                                     \
  void stretto_##name(stretto_context *context, const stretto_##name##_args *args) { call(context, *args); }
STRETTO_CALLS(CALL)
#undef CALL

} // extern "C"
