// The ways to compute attention.
#include "runtime/device/cuda/attention_methods.h"

#include "runtime/core/distance.h"
#include "runtime/core/op_table.h"

#include <ATen/Context.h>
#include <ATen/ops/_efficient_attention_backward.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <bit>
#include <limits>

namespace stretto::runtime {
namespace {

at::ScalarType scalarType(int32_t dtype) {
  return dtype == STRETTO_F64 ? at::kDouble : dtype == STRETTO_BF16 ? at::kBFloat16 : at::kFloat;
}

// A tensor over memory of somebody else.
at::Tensor over(void *data, at::Device device, at::ScalarType type, at::IntArrayRef sizes, at::IntArrayRef strides) {
  return at::for_blob(data, sizes)
      .strides(strides)
      .options(at::TensorOptions().dtype(type).device(device))
      .target_device(device)
      .make_tensor();
}

// [batch, length, heads, dim] over rows of `stride` elements.
at::Tensor rowsOf(void *data, at::Device device, const AttentionOp &op, int64_t heads, int64_t dim, int64_t stride) {
  return over(data, device, scalarType(op.dtype), {op.batch, op.length, heads, dim},
              {op.length * stride, stride, dim, 1});
}

// Of what is never bfloat16.
at::ScalarType realType(const AttentionOp &op) { return op.dtype == STRETTO_F64 ? at::kDouble : at::kFloat; }

// [batch, length, heads], a number for each head.
at::Tensor ofHeads(void *data, at::Device device, const AttentionOp &op) {
  return over(data, device, realType(op), {op.batch, op.length, op.heads}, {op.length * op.heads, op.heads, 1});
}

// [heads, reach], a number for each head and distance.
at::Tensor byDistance(void *data, at::Device device, const AttentionOp &op) {
  return over(data, device, realType(op), {op.heads, op.reach}, {op.reach, 1});
}

// Without gaps.
at::Tensor integers(const int32_t *data, at::Device device, at::IntArrayRef sizes) {
  return at::for_blob(const_cast<int32_t *>(data), sizes)
      .options(at::TensorOptions().dtype(at::kInt).device(device))
      .target_device(device)
      .make_tensor();
}

// What LibTorch asks for besides, where nothing is dropped out: the state of a generator, and nothing.
at::Tensor unusedState() { return at::empty({2}, at::TensorOptions().dtype(at::kUInt64).device(currentGpu())); }
at::Tensor unused() { return at::empty({0}, at::TensorOptions().dtype(at::kFloat).device(currentGpu())); }

// Deterministic algorithms for as long as it lives; LibTorch keeps that in one place for all.
class Deterministic {
public:
  explicit Deterministic(bool wanted) : before(at::globalContext().deterministicAlgorithms()) { set(wanted); }
  ~Deterministic() { set(before); }
  Deterministic(const Deterministic &) = delete;
  Deterministic &operator=(const Deterministic &) = delete;

private:
  static void set(bool value) { at::globalContext().setDeterministicAlgorithms(value, /*warn_only=*/false); }
  bool before;
};

// One sequence of plain attention, block after block of its queries: q and what has its shape as
// [kvHeads, group * count, headDim], so that queries which share keys are rows of one matrix; in the type it is
// computed in. Values and what has their shape are [.., valueDim].
class Plain {
public:
  Plain(const AttentionTensors &tensors, int64_t row)
      : tensors(tensors), row(row), length(tensors.q.size(1)), heads(tensors.q.size(2)), kvHeads(tensors.k.size(2)),
        type(tensors.q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat), k(keys(tensors.k)),
        v(keys(tensors.v)) {}

  void forward() const {
    inBlocks([this](const Block &block) {
      at::Tensor scores = maskedScores(queries(tensors.q, block), block);
      const at::Tensor lse = at::logsumexp(scores, -1, /*keepdim=*/true);
      scores.sub_(lse).exp_();
      store(tensors.o, at::bmm(scores, v), block);
      sumsOf(block).copy_(lse.view({heads, block.count}));
    });
  }

  // `byDistance`, [heads, reach]: sums of the gradients of scores get those of this sequence; undefined without a bias.
  void backward(const AttentionGradTensors &grad, const at::Tensor &byDistance) const {
    at::Tensor dk, dv;
    const at::Tensor ofScores = sumsOfGradients(); // for the decay
    inBlocks([&](const Block &block) {
      const at::Tensor q = queries(tensors.q, block);
      at::Tensor slope; // of capped scores
      at::Tensor p = maskedScores(q, block, &slope);
      p.sub_(sumsOf(block).to(type).reshape({kvHeads, heads / kvHeads * block.count, 1})).exp_();
      const at::Tensor dOut = queries(grad.dOut, block);
      add(dv, at::bmm(p.transpose(1, 2), dOut));
      const at::Tensor delta = dOut.mul(queries(tensors.o, block)).sum(-1, /*keepdim=*/true);
      at::Tensor dScores = at::bmm(dOut, v.transpose(1, 2)).sub_(delta).mul_(p);
      if (ofScores.defined())
        addSums(dScores, block, ofScores);
      if (byDistance.defined())
        addByDistance(dScores, block, byDistance);
      dScores.mul_(tensors.scale);
      if (slope.defined())
        dScores.mul_(slope);
      store(grad.dq, at::bmm(dScores, k), block);
      add(dk, at::bmm(dScores.transpose(1, 2), q));
    });
    grad.dk[row].transpose(0, 1).copy_(dk);
    grad.dv[row].transpose(0, 1).copy_(dv);
    if (ofScores.defined()) // of all tokens behind, the document's end included: behind it, sums are 0
      grad.dDecay[row].transpose(0, 1).copy_(ofScores.flip(1).cumsum(1).flip(1));
  }

private:
  struct Block {
    int64_t first, count; // tokens
  };
  template <typename Work> void inBlocks(const Work &work) const {
    const int64_t most = std::max<int64_t>(1, tensors.mostScores / (heads * length));
    for (int64_t first = 0; first < length; first += most)
      work(Block{first, std::min(most, length - first)});
  }
  static void add(at::Tensor &sum, const at::Tensor &part) {
    if (sum.defined())
      sum.add_(part);
    else
      sum = part;
  }

  at::Tensor ofBlock(const at::Tensor &rows, const Block &block) const {
    return rows[row].narrow(0, block.first, block.count).transpose(0, 1);
  }
  at::Tensor queries(const at::Tensor &rows, const Block &block) const {
    return ofBlock(rows, block).to(type).reshape({kvHeads, heads / kvHeads * block.count, rows.size(3)});
  }
  at::Tensor keys(const at::Tensor &rows) const { return rows[row].transpose(0, 1).to(type).contiguous(); }
  at::Tensor sumsOf(const Block &block) const { return tensors.lse[row].narrow(1, block.first, block.count); }
  void store(const at::Tensor &rows, const at::Tensor &result, const Block &block) const {
    ofBlock(rows, block).copy_(result.view({heads, block.count, rows.size(3)}));
  }

  void subtractDistances(const at::Tensor &scores, const Block &block) const {
    const at::Tensor token = at::arange(length, scores.options());
    const at::Tensor distance = token.narrow(0, block.first, block.count).view({block.count, 1}).sub(token);
    for (int64_t head = 0; head < heads; ++head)
      scores.view({heads, block.count, length})[head].sub_(distance, alibiSlope(head, heads));
  }

  // What a decay takes from scores, as differences of sums in double: exact at any length.
  void addDecay(const at::Tensor &scores, const Block &block) const {
    const at::Tensor sums = tensors.decay[row].to(at::kDouble).cumsum(0); // [length, heads]
    for (int64_t head = 0; head < heads; ++head) {
      const at::Tensor ofKeys = sums.select(1, head), ofQueries = ofKeys.narrow(0, block.first, block.count);
      scores.view({heads, block.count, length})[head].add_(ofQueries.view({block.count, 1}).sub(ofKeys));
    }
  }

  // [count, length]: how far the keys are before the queries, from 0 to the last distance that has a number of its own.
  at::Tensor distances(const Block &block) const {
    const at::Tensor token = at::arange(length, tensors.bias.options().dtype(at::kLong));
    return token.narrow(0, block.first, block.count)
        .view({block.count, 1})
        .sub(token)
        .clamp_(0, tensors.bias.size(1) - 1);
  }
  void addBias(const at::Tensor &scores, const Block &block) const {
    const at::Tensor places = distances(block).flatten();
    for (int64_t head = 0; head < heads; ++head)
      scores.view({heads, block.count, length})[head].add_(
          tensors.bias[head].index_select(0, places).view({block.count, length}));
  }

  // Sums of diagonals, in one order: rows of keys from the last to the first, with as many zeros behind them as there
  // are queries, are columns of distances if they are read as rows that are shorter by one. Column c is then distance
  // c + block.first + 1 - length.
  void addByDistance(const at::Tensor &dScores, const Block &block, const at::Tensor &sums) const {
    const int64_t columns = length + block.count - 1, reach = sums.size(1);
    const int64_t zero = length - 1 - block.first, last = std::min(reach - 1, block.first + block.count - 1);
    const at::Tensor turned = at::zeros({block.count, columns + 1}, dScores.options());
    for (int64_t head = 0; head < heads; ++head) {
      turned.narrow(1, 0, length).copy_(dScores.view({heads, block.count, length})[head].flip(1));
      const at::Tensor ofDistances =
          turned.as_strided({block.count, columns}, {columns, 1}).sum(0, /*keepdim=*/false, at::kDouble);
      sums[head].narrow(0, 0, last).add_(ofDistances.narrow(0, zero, last));
      sums[head][last].add_(ofDistances.narrow(0, zero + last, columns - zero - last).sum());
    }
  }

  // [heads, length], for sums of the gradients of scores: over a token's keys, less those over its queries; undefined
  // without a decay.
  at::Tensor sumsOfGradients() const {
    return tensors.decay.defined() ? at::zeros({heads, length}, tensors.decay.options().dtype(at::kDouble))
                                   : at::Tensor();
  }
  void addSums(const at::Tensor &dScores, const Block &block, const at::Tensor &sums) const {
    const at::Tensor ofHeads = dScores.view({heads, block.count, length});
    sums.narrow(1, block.first, block.count).add_(ofHeads.sum(2, /*keepdim=*/false, at::kDouble));
    sums.sub_(ofHeads.sum(1, /*keepdim=*/false, at::kDouble));
  }

  // `slope`: what capping makes of derivatives, where it is wanted and scores are capped.
  at::Tensor maskedScores(const at::Tensor &q, const Block &block, at::Tensor *slope = nullptr) const {
    at::Tensor scores = at::bmm(q, k.transpose(1, 2)).mul_(tensors.scale);
    if (tensors.cap) {
      scores.div_(*tensors.cap).tanh_();
      if (slope)
        *slope = scores.square().neg_().add_(1);
      scores.mul_(*tensors.cap);
    }
    if (tensors.alibi)
      subtractDistances(scores, block);
    if (tensors.decay.defined())
      addDecay(scores, block);
    if (tensors.bias.defined())
      addBias(scores, block);
    if (!tensors.causal && !tensors.positions.defined())
      return scores;
    const auto ofQueries = [&](const at::Tensor &ofTokens) {
      return ofTokens.narrow(0, block.first, block.count).view({block.count, 1});
    };
    const at::Tensor token = at::arange(length, at::TensorOptions().dtype(at::kInt).device(scores.device()));
    at::Tensor hidden;
    const auto hide = [&](const at::Tensor &more) { hidden = hidden.defined() ? hidden.bitwise_or(more) : more; };
    if (tensors.causal)
      hide(token.view({1, length}).gt(ofQueries(token)));
    if (tensors.window)
      hide(token.view({1, length}).le(ofQueries(token.sub(*tensors.window))));
    if (tensors.positions.defined()) {
      const at::Tensor start = token.sub(tensors.positions[row]); // of the token's document
      hide(start.view({1, length}).ne(ofQueries(start)));
    }
    scores.view({heads, block.count, length}).masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    return scores;
  }

  const AttentionTensors &tensors;
  int64_t row, length, heads, kvHeads;
  at::ScalarType type;
  at::Tensor k, v;
};

// Of those that a query sees, as flash attention counts them: without itself.
std::optional<int64_t> tokensBefore(const AttentionTensors &t) {
  return t.window ? std::optional(*t.window - 1) : std::nullopt;
}
std::optional<int64_t> tokensBehind(const AttentionTensors &t) {
  return t.window ? std::optional<int64_t>(0) : std::nullopt;
}

void attendByFlash(const AttentionTensors &t) {
  const int64_t length = t.q.size(1);
  const auto result =
      at::_flash_attention_forward(t.q, t.k, t.v, {}, {}, length, length, /*dropout_p=*/0.0, t.causal,
                                   /*return_debug_mask=*/false, t.scale, tokensBefore(t), tokensBehind(t));
  t.o.copy_(std::get<0>(result));
  t.lse.copy_(std::get<1>(result).view_as(t.lse));
}

void attendByFlashBackward(const AttentionGradTensors &grad) {
  const AttentionTensors &t = grad.forward;
  const int64_t length = t.q.size(1);
  const auto result = at::_flash_attention_backward(grad.dOut, t.q, t.k, t.v, t.o, t.lse, {}, {}, length, length,
                                                    /*dropout_p=*/0.0, t.causal, unusedState(), unused(), t.scale,
                                                    tokensBefore(t), tokensBehind(t));
  grad.dq.copy_(std::get<0>(result));
  grad.dk.copy_(std::get<1>(result));
  grad.dv.copy_(std::get<2>(result));
}

// Flash attention over documents instead of rows; its sums are [heads, tokens].
void attendDocuments(const AttentionTensors &t) {
  const int64_t length = t.q.size(1);
  const auto result =
      at::_flash_attention_forward(t.q.flatten(0, 1), t.k.flatten(0, 1), t.v.flatten(0, 1), t.starts, t.starts, length,
                                   length, /*dropout_p=*/0.0, t.causal,
                                   /*return_debug_mask=*/false, t.scale, tokensBefore(t), tokensBehind(t));
  t.o.copy_(std::get<0>(result).reshape(t.o.sizes()));
  t.lse.copy_(std::get<1>(result).view({t.lse.size(1), t.lse.size(0), length}).transpose(0, 1));
}

void attendDocumentsBackward(const AttentionGradTensors &grad) {
  const AttentionTensors &t = grad.forward;
  const int64_t length = t.q.size(1);
  const at::Tensor lse = t.lse.transpose(0, 1).reshape({t.lse.size(1), t.lse.size(0) * length});
  const auto result =
      at::_flash_attention_backward(grad.dOut.flatten(0, 1), t.q.flatten(0, 1), t.k.flatten(0, 1), t.v.flatten(0, 1),
                                    t.o.flatten(0, 1), lse, t.starts, t.starts, length, length, /*dropout_p=*/0.0,
                                    t.causal, unusedState(), unused(), t.scale, tokensBefore(t), tokensBehind(t));
  grad.dq.copy_(std::get<0>(result).reshape(grad.dq.sizes()));
  grad.dk.copy_(std::get<1>(result).reshape(grad.dk.sizes()));
  grad.dv.copy_(std::get<2>(result).reshape(grad.dv.sizes()));
}

// Keys and values for each head of the queries, as memory-efficient attention wants them; and their gradients.
at::Tensor forEachHead(const at::Tensor &rows, int64_t heads) {
  const int64_t group = heads / rows.size(2);
  return group == 1 ? rows : rows.unsqueeze(3).expand({-1, -1, -1, group, -1}).flatten(2, 3);
}
at::Tensor ofAllHeads(const at::Tensor &rows, int64_t kvHeads) {
  const int64_t group = rows.size(2) / kvHeads;
  return group == 1 ? rows : rows.unflatten(2, {kvHeads, group}).sum(3);
}

void attendEfficiently(const AttentionTensors &t) {
  const int64_t heads = t.q.size(2), length = t.q.size(1);
  const auto result = at::_efficient_attention_forward(t.q, forEachHead(t.k, heads), forEachHead(t.v, heads), {}, {},
                                                       {}, {}, {}, /*dropout_p=*/0.0, /*custom_mask_type=*/t.causal,
                                                       /*compute_log_sumexp=*/true, t.scale, /*seqlen_k=*/{}, t.window);
  t.o.copy_(std::get<0>(result));
  t.lse.copy_(std::get<1>(result).narrow(2, 0, length));
}

void attendEfficientlyBackward(const AttentionGradTensors &grad) {
  constexpr int64_t step = 32; // rows of its sums have a multiple of so many, with infinity for no token
  const AttentionTensors &t = grad.forward;
  const int64_t heads = t.q.size(2), kvHeads = t.k.size(2), length = t.q.size(1);
  const at::Tensor lse = at::empty({t.lse.size(0), heads, (length + step - 1) / step * step}, t.lse.options());
  lse.fill_(std::numeric_limits<double>::infinity()).narrow(2, 0, length).copy_(t.lse);
  const auto result = at::_efficient_attention_backward(
      grad.dOut, t.q, forEachHead(t.k, heads), forEachHead(t.v, heads), {}, t.o.contiguous(), {}, {}, length, length,
      lse, /*dropout_p=*/0.0, unusedState(), unusedState(), /*custom_mask_type=*/t.causal,
      /*bias_requires_grad=*/false, t.scale, /*num_splits_key=*/{}, t.window);
  grad.dq.copy_(std::get<0>(result));
  grad.dk.copy_(ofAllHeads(std::get<1>(result), kvHeads));
  grad.dv.copy_(ofAllHeads(std::get<2>(result), kvHeads));
}

bool aligned(const void *data, int64_t stride, int32_t dtype) {
  return alignmentOf(data) == 16 && stride * elementBytes(dtype) % 16 == 0;
}

} // namespace

const char *nameOf(AttentionMethod method) {
  switch (method) {
  case AttentionMethod::Cudnn:
    return "cuDNN";
  case AttentionMethod::Flash:
    return "flash";
  case AttentionMethod::Efficient:
    return "memory-efficient";
  case AttentionMethod::Plain:
    break;
  }
  return "plain";
}

AttentionTensors tensorsOf(const AttentionOp &op, at::Device device) {
  const at::ScalarType lseType = realType(op);
  return {rowsOf(op.q, device, op, op.heads, op.head_dim, op.q_stride),
          rowsOf(op.k, device, op, op.kv_heads, op.head_dim, op.k_stride),
          rowsOf(op.v, device, op, op.kv_heads, op.value_dim, op.v_stride),
          rowsOf(op.o, device, op, op.heads, op.value_dim, op.o_stride),
          over(op.lse, device, lseType, {op.batch, op.heads, op.length}, {op.heads * op.length, op.length, 1}),
          op.positions ? integers(op.positions, device, {op.batch, op.length}) : at::Tensor(),
          op.starts ? integers(op.starts, device, {op.documents + 1}) : at::Tensor(),
          op.sinks ? over(op.sinks, device, lseType, {op.heads}, {1}) : at::Tensor(),
          op.share ? ofHeads(op.share, device, op) : at::Tensor(),
          op.decay ? ofHeads(op.decay, device, op) : at::Tensor(),
          op.bias ? byDistance(op.bias, device, op) : at::Tensor(),
          op.scale,
          op.causal != 0,
          hidesKeys(op.window, op.length) ? std::optional(op.window) : std::nullopt,
          op.alibi != 0,
          op.cap > 0 ? std::optional(op.cap) : std::nullopt};
}

AttentionGradTensors tensorsOf(const AttentionGradOp &op, at::Device device) {
  const AttentionOp &forward = op.forward;
  return {tensorsOf(forward, device),
          rowsOf(op.d_o, device, forward, forward.heads, forward.value_dim, op.do_stride),
          rowsOf(op.d_q, device, forward, forward.heads, forward.head_dim, op.dq_stride),
          rowsOf(op.d_k, device, forward, forward.kv_heads, forward.head_dim, op.dk_stride),
          rowsOf(op.d_v, device, forward, forward.kv_heads, forward.value_dim, op.dv_stride),
          op.d_decay ? ofHeads(op.d_decay, device, forward) : at::Tensor(),
          op.d_bias ? byDistance(op.d_bias, device, forward) : at::Tensor()};
}

bool isAligned(const AttentionOp &op) {
  return aligned(op.q, op.q_stride, op.dtype) && aligned(op.k, op.k_stride, op.dtype) &&
         aligned(op.v, op.v_stride, op.dtype) && aligned(op.o, op.o_stride, op.dtype) && alignmentOf(op.lse) == 16;
}

// Whether a library takes heads of so many columns in the op's type.
static bool takesHeads(AttentionMethod method, const AttentionOp &op) {
  if (method == AttentionMethod::Efficient)
    return op.dtype == STRETTO_F32 && op.head_dim % 4 == 0 && op.value_dim % 4 == 0;
  const bool fits = op.head_dim % 8 == 0 && op.value_dim % 8 == 0 && std::max(op.head_dim, op.value_dim) <= 256;
  return op.dtype == STRETTO_BF16 && fits && (method == AttentionMethod::Cudnn || op.head_dim == op.value_dim);
}

bool mayTry(AttentionMethod method, const AttentionOp &op) {
  if (method == AttentionMethod::Plain)
    return true;
  if (op.cap > 0 || op.decay || op.bias)
    return false;
  // Flash attention has slopes in its forward alone; for other numbers of heads, cuDNN has slopes of its own.
  if (op.alibi && (method != AttentionMethod::Cudnn || !std::has_single_bit(static_cast<uint64_t>(op.heads))))
    return false;
  if (op.positions && (method != AttentionMethod::Flash || !op.starts))
    return false;
  return takesHeads(method, op) && isAligned(op);
}

bool mayTry(AttentionMethod method, const AttentionGradOp &op) {
  if (method == AttentionMethod::Plain)
    return true;
  const int32_t dtype = op.forward.dtype;
  return mayTry(method, op.forward) && aligned(op.d_o, op.do_stride, dtype) && aligned(op.d_q, op.dq_stride, dtype) &&
         aligned(op.d_k, op.dk_stride, dtype) && aligned(op.d_v, op.dv_stride, dtype);
}

void addSinks(const AttentionTensors &t) {
  if (!t.sinks.defined())
    return;
  const at::Tensor sinks = t.sinks.view({1, -1, 1}), ahead = t.lse.sub(sinks);
  t.share.copy_(at::sigmoid(ahead.neg()).transpose(1, 2));
  t.o.mul_(at::sigmoid(ahead).transpose(1, 2).unsqueeze(-1)); // 1 - share, also where that is hardly more than 0
  t.lse.copy_(at::logaddexp(t.lse, sinks));
}

void attendPlainly(const AttentionTensors &tensors) {
  for (int64_t row = 0; row < tensors.q.size(0); ++row)
    Plain(tensors, row).forward();
  addSinks(tensors);
}

void attendPlainlyBackward(const AttentionGradTensors &tensors) {
  const at::Tensor &bias = tensors.forward.bias;
  const at::Tensor byDistance = bias.defined() ? at::zeros_like(bias, at::kDouble) : at::Tensor();
  for (int64_t row = 0; row < tensors.forward.q.size(0); ++row)
    Plain(tensors.forward, row).backward(tensors, byDistance);
  if (bias.defined())
    tensors.dBias.copy_(byDistance);
}

template <typename Op> void AttentionMethods::attendByCudnn(const Op &op) {
  const int64_t bytes = cudnn.prepare(op);
  const at::Tensor workspace = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(currentGpu()));
  cudnn.run(op, workspace.mutable_data_ptr());
}

void AttentionMethods::attend(AttentionMethod method, const AttentionOp &op) {
  const AttentionTensors tensors = tensorsOf(op);
  switch (method) {
  case AttentionMethod::Cudnn:
    attendByCudnn(op);
    break;
  case AttentionMethod::Flash:
    op.starts ? attendDocuments(tensors) : attendByFlash(tensors);
    break;
  case AttentionMethod::Efficient:
    attendEfficiently(tensors);
    break;
  case AttentionMethod::Plain:
    return attendPlainly(tensors);
  }
  addSinks(tensors);
}

void AttentionMethods::attendBackward(AttentionMethod method, const AttentionGradOp &op) {
  switch (method) {
  case AttentionMethod::Cudnn:
    return attendByCudnn(op);
  case AttentionMethod::Flash: {
    const Deterministic scope(deterministic);
    return op.forward.starts ? attendDocumentsBackward(tensorsOf(op)) : attendByFlashBackward(tensorsOf(op));
  }
  case AttentionMethod::Efficient: {
    const Deterministic scope(deterministic);
    return attendEfficientlyBackward(tensorsOf(op));
  }
  case AttentionMethod::Plain:
    return attendPlainlyBackward(tensorsOf(op));
  }
}

} // namespace stretto::runtime
