// All ops in one table: where the buffers of a call are and how far they reach, and what an op is to the user.
#include "runtime/core/op_table.h"

#include <bit>
#include <concepts>
#include <fmt/format.h>
#include <type_traits>

namespace stretto::runtime {
namespace {

template <typename Op, typename Wanted>
concept Is = std::same_as<std::remove_const_t<Op>, Wanted>;

constexpr int64_t absent = -1;

// Bytes from the first to the last element of `rows` rows of `columns` elements with a row stride.
int64_t span(int32_t dtype, int64_t rows, int64_t columns, int64_t stride) {
  return rows <= 0 || columns <= 0 ? 0 : ((rows - 1) * stride + columns) * elementBytes(dtype);
}
int64_t span(int32_t dtype, int64_t rows, int64_t columns) { return span(dtype, rows, columns, columns); }
int64_t words(int64_t count) { return count * 4; }
// The same in bytes.
int64_t runs(int64_t rows, int64_t rowBytes, int64_t stride) { return rows <= 0 ? 0 : (rows - 1) * stride + rowBytes; }

// Calls visit(buffer, address, bytes) for each buffer of a call, in the order of the argument struct. `bytes` is
// `absent` for a buffer that is not there.

void eachBuffer(Is<MatmulOp> auto &op, auto visit) {
  const bool ta = op.transpose_a, tb = op.transpose_b;
  visit(op.Args::a, op.a, span(op.dtype, ta ? op.k : op.m, ta ? op.m : op.k, op.lda));
  visit(op.Args::b, op.b, span(op.dtype, tb ? op.n : op.k, tb ? op.k : op.n, op.ldb));
  visit(op.Args::c, op.c, span(op.dtype_c, op.m, op.n, op.ldc));
  visit(op.Args::d, op.d, op.has_residual ? span(op.dtype_c, op.m, op.n, op.ldd) : absent);
}

// Of what distances add to scores of attention.
auto biasSpan(const auto &op) { return op.reach ? span(op.real, op.heads, op.reach) : absent; }

void eachBuffer(Is<AttentionOp> auto &op, auto visit) {
  const int64_t rows = op.batch * op.length;
  visit(op.Args::q, op.q, span(op.dtype, rows, op.heads * op.head_dim, op.q_stride));
  visit(op.Args::k, op.k, span(op.dtype, rows, op.kv_heads * op.head_dim, op.k_stride));
  visit(op.Args::v, op.v, span(op.dtype, rows, op.kv_heads * op.value_dim, op.v_stride));
  visit(op.Args::o, op.o, span(op.dtype, rows, op.heads * op.value_dim, op.o_stride));
  visit(op.Args::lse, op.lse, span(op.real, rows, op.heads));
  visit(op.Args::positions, op.positions, op.has_positions ? words(rows) : absent);
  visit(op.Args::starts, op.starts, op.has_starts ? words(op.documents + 1) : absent);
  visit(op.Args::sinks, op.sinks, op.has_sinks ? span(op.real, 1, op.heads) : absent);
  visit(op.Args::share, op.share, op.has_sinks ? span(op.real, rows, op.heads) : absent);
  visit(op.Args::decay, op.decay, op.has_decay ? span(op.real, rows, op.heads) : absent);
  visit(op.Args::bias, op.bias, biasSpan(op));
}

void eachBuffer(Is<AttentionGradOp> auto &op, auto visit) {
  const auto &of = op.forward;
  const int64_t rows = of.batch * of.length;
  eachBuffer(op.forward, visit);
  visit(op.Args::d_o, op.d_o, span(of.dtype, rows, of.heads * of.value_dim, op.do_stride));
  visit(op.Args::d_q, op.d_q, span(of.dtype, rows, of.heads * of.head_dim, op.dq_stride));
  visit(op.Args::d_k, op.d_k, span(of.dtype, rows, of.kv_heads * of.head_dim, op.dk_stride));
  visit(op.Args::d_v, op.d_v, span(of.dtype, rows, of.kv_heads * of.value_dim, op.dv_stride));
  visit(op.Args::d_decay, op.d_decay, of.has_decay ? span(of.real, rows, of.heads) : absent);
  visit(op.Args::d_bias, op.d_bias, biasSpan(of));
}

void eachBuffer(Is<EmbedOp> auto &op, auto visit) {
  visit(op.Args::tokens, op.tokens, words(op.rows));
  visit(op.Args::table, op.table, span(op.real, op.vocabulary, op.width));
  visit(op.Args::out, op.out, span(op.real, op.rows, op.width));
}

void eachBuffer(Is<EmbedGradOp> auto &op, auto visit) {
  visit(op.Args::tokens, op.tokens, words(op.rows));
  visit(op.Args::d_out, op.d_out, span(op.real, op.rows, op.width));
  visit(op.Args::d_table, op.d_table, span(op.real, op.vocabulary, op.width));
}

void eachBuffer(Is<WriteCacheOp> auto &op, auto visit) {
  visit(op.Args::from, op.from, runs(op.batch * op.rows, op.row_bytes, op.from_stride));
  visit(op.Args::positions, op.positions, words(op.batch * op.rows));
  visit(op.Args::counts, op.counts, words(op.batch));
  visit(op.Args::cache, op.cache, op.batch * op.capacity * op.row_bytes);
}

void eachBuffer(Is<ReadCacheOp> auto &op, auto visit) {
  visit(op.Args::cache, op.cache, op.batch * op.capacity * op.row_bytes);
  visit(op.Args::positions, op.positions, words(op.batch * op.rows));
  visit(op.Args::to, op.to, op.batch * op.rows * op.row_bytes);
}

void eachBuffer(Is<LastRowOp> auto &op, auto visit) {
  visit(op.Args::from, op.from, op.batch * op.rows * op.row_bytes);
  visit(op.Args::counts, op.counts, words(op.batch));
  visit(op.Args::to, op.to, op.batch * op.row_bytes);
}

void eachBuffer(Is<AttentionStepOp> auto &op, auto visit) {
  const int64_t rows = op.batch * op.rows, keys = op.batch * op.capacity;
  visit(op.Args::q, op.q, span(op.dtype, rows, op.heads * op.head_dim, op.q_stride));
  visit(op.Args::k, op.k, span(op.dtype, keys, op.kv_heads * op.head_dim));
  visit(op.Args::v, op.v, span(op.dtype, keys, op.kv_heads * op.value_dim));
  visit(op.Args::positions, op.positions, words(rows));
  visit(op.Args::counts, op.counts, words(op.batch));
  visit(op.Args::o, op.o, span(op.dtype, rows, op.heads * op.value_dim, op.o_stride));
  visit(op.Args::sinks, op.sinks, op.has_sinks ? span(op.real, 1, op.heads) : absent);
  visit(op.Args::decay, op.decay, op.has_decay ? span(op.real, keys, op.heads) : absent);
  visit(op.Args::bias, op.bias, biasSpan(op));
}

void eachBuffer(Is<CopyOp> auto &op, auto visit) {
  visit(op.Args::from, op.from, runs(op.rows, op.row_bytes, op.from_stride));
  visit(op.Args::to, op.to, runs(op.rows, op.row_bytes, op.to_stride));
}

// Others were given addresses.
template <typename Op>
  requires(!requires { typename Op::Args; })
void eachBuffer(Op &, auto) {}

struct Facts {
  OpFacts operator()(const LaunchOp &op) const {
    const stretto_kernel &kernel = *op.kernel;
    return {fmt::format("kernel '{}'", kernel.name), kernel.group, kernel.name, static_cast<double>(kernel.bytes_moved),
            static_cast<double>(kernel.flops)};
  }
  OpFacts operator()(const MatmulOp &op) const {
    return named(fmt::format("matmul {} x {} x {}", op.m, op.n, op.k), "matmuls", 2.0 * op.m * op.n * op.k);
  }
  OpFacts operator()(const AttentionOp &op) const { return named("attention", "attention", op.flops); }
  OpFacts operator()(const AttentionGradOp &op) const {
    return named("attention backward", "attention", op.forward.flops);
  }
  OpFacts operator()(const AttentionStepOp &) const { return named("attention of a step", "attention"); }
  OpFacts operator()(const EmbedOp &) const { return named("embedding", "embedding"); }
  OpFacts operator()(const EmbedGradOp &) const { return named("embedding backward", "embedding"); }
  OpFacts operator()(const WriteCacheOp &) const { return {"cache write", "caches", "caches"}; }
  OpFacts operator()(const ReadCacheOp &) const { return {"cache read", "caches", "caches"}; }
  OpFacts operator()(const LastRowOp &) const { return {"gather of the last rows", "caches", "caches"}; }
  OpFacts operator()(const LibraryOp &op) const { return named(op.name, "library", op.flops); }
  OpFacts operator()(const ZeroOp &op) const {
    return {fmt::format("clearing of {} bytes", op.bytes), "rest", "clearing"};
  }
  OpFacts operator()(const CopyOp &op) const {
    return {"copy on the device", "rest", "copies", 2.0 * op.rows * op.row_bytes};
  }
  OpFacts operator()(const CopyInOp &) const { return {"copy to the device", "rest", "copies"}; }
  OpFacts operator()(const CopyOutOp &) const { return {"copy from the device", "rest", "copies"}; }
  OpFacts operator()(const WorkOp &) const { return {"exchange with other ranks", "exchange", "exchange"}; }
  OpFacts operator()(const ReserveOp &) const { return {"preparation", nullptr, ""}; }

private:
  static OpFacts named(const std::string &name, const char *group, double flops = 0) {
    return {name, group, name, 0, flops};
  }
};

struct Resolver {
  const Arenas &arenas;
  template <typename Address> void operator()(const stretto_buffer &buffer, Address *&address, int64_t bytes) const {
    if (bytes != absent)
      address = static_cast<Address *>(arenas.resolve(buffer, bytes));
  }
};

} // namespace

int64_t bytesOf(const stretto_tensor &tensor) {
  int64_t rows = 1, columns = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    (i + 1 < tensor.rank ? rows : columns) *= tensor.shape[i];
  return span(tensor.dtype, rows, columns, tensor.row_stride);
}

void resolve(Op &op, const Arenas &arenas) {
  std::visit([&](auto &call) { eachBuffer(call, Resolver{arenas}); }, op);
}

std::vector<const void *> buffersOf(const Op &op) {
  if (const auto *launch = std::get_if<LaunchOp>(&op))
    return {launch->buffers.begin(), launch->buffers.end()};
  if (const auto *library = std::get_if<LibraryOp>(&op))
    return {library->buffers.begin(), library->buffers.end()};
  if (const auto *zero = std::get_if<ZeroOp>(&op))
    return {zero->data};
  std::vector<const void *> list;
  std::visit(
      [&](const auto &call) {
        eachBuffer(call, [&](const stretto_buffer &, const void *address, int64_t) { list.push_back(address); });
      },
      op);
  return list;
}

int64_t alignmentOf(const void *address) {
  constexpr uintptr_t widest = 16;
  return int64_t(1) << std::countr_zero(reinterpret_cast<uintptr_t>(address) | widest);
}

std::vector<int64_t> alignmentsOf(const Op &op) {
  std::vector<int64_t> alignments;
  for (const void *address : buffersOf(op))
    alignments.push_back(alignmentOf(address));
  return alignments;
}

Sizes sizesOf(const MatmulOp &op) {
  return {op.dtype,      op.dtype_c,      op.m,  op.n, op.k, op.lda, op.ldb, op.ldc, op.transpose_a, op.transpose_b,
          op.accumulate, op.d != nullptr, op.ldd};
}
Sizes sizesOf(const AttentionOp &op) {
  return {op.dtype,
          op.batch,
          op.length,
          op.heads,
          op.kv_heads,
          op.head_dim,
          op.value_dim,
          op.q_stride,
          op.k_stride,
          op.v_stride,
          op.o_stride,
          op.window,
          op.reach,
          op.causal,
          op.alibi,
          op.cap != 0,
          op.positions != nullptr,
          op.starts != nullptr,
          op.sinks != nullptr,
          op.decay != nullptr,
          op.documents};
}
Sizes sizesOf(const AttentionGradOp &op) {
  Sizes sizes = sizesOf(op.forward);
  sizes.insert(sizes.end(), {op.do_stride, op.dq_stride, op.dk_stride, op.dv_stride});
  return sizes;
}
Sizes sizesOf(const AttentionStepOp &op) {
  return {op.dtype,           op.batch,    op.rows,      op.capacity, op.heads,
          op.kv_heads,        op.head_dim, op.value_dim, op.q_stride, op.o_stride,
          op.window,          op.reach,    op.alibi,     op.cap != 0, op.sinks != nullptr,
          op.decay != nullptr};
}

Sizes sizesOf(const LibraryOp &op) {
  Sizes sizes;
  for (const stretto_tensor &tensor : op.tensors) {
    sizes.insert(sizes.end(), {tensor.dtype, tensor.row_stride, tensor.rank});
    sizes.insert(sizes.end(), tensor.shape, tensor.shape + tensor.rank);
  }
  return sizes;
}

OpFacts factsOf(const Op &op) { return std::visit(Facts{}, op); }

std::string describeOp(const Op &op, const CallSite &at) {
  std::string text = factsOf(op).name;
  const char *location = "";
  if (at.site && at.site->count > 0)
    location = at.site->results[0].location;
  else if (const auto *launch = std::get_if<LaunchOp>(&op))
    location = launch->kernel->location;
  if (*location)
    text += fmt::format(" ({})", location);
  return text;
}

} // namespace stretto::runtime
