// The plain computation that the libraries of a device are measured by, here against the CPU's.
#include "runtime/device/cuda/attention_methods.h"
#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// q, k and v are columns of one buffer, as are their gradients; o and its gradient have rows of their own.
template <typename Real> struct Memory {
  using Total = std::conditional_t<sizeof(Real) == 2, float, Real>;
  explicit Memory(AttentionGradOp &op) {
    AttentionOp &forward = op.forward;
    const int64_t rows = forward.batch * forward.length, width = forward.heads * forward.head_dim,
                  keyWidth = forward.kv_heads * forward.head_dim, outWidth = forward.heads * forward.value_dim,
                  stride = width + keyWidth + forward.kv_heads * forward.value_dim;
    packed = randomReals<Real>(rows * stride, 1);
    o.resize(rows * (outWidth + 8)), dPacked.resize(rows * stride);
    dOut = randomReals<Real>(rows * outWidth, 2);
    lse.resize(rows * forward.heads), share.resize(rows * forward.heads), dDecay.resize(rows * forward.heads);
    decay = randomReals<Total>(rows * forward.heads, 4);
    if (forward.has_decay)
      forward.decay = decay.data(), op.d_decay = dDecay.data();
    bias = randomReals<Total>(forward.heads * forward.reach, 5), dBias.resize(bias.size());
    if (forward.reach)
      forward.bias = bias.data(), op.d_bias = dBias.data();
    sinks = randomReals<Total>(forward.heads, 3);
    for (Total &sink : sinks) // some take nearly all of a softmax
      sink *= 15;
    if (forward.has_sinks)
      forward.sinks = sinks.data(), forward.share = share.data();
    forward.dtype = dtypeOf<Real>();
    forward.q_stride = forward.k_stride = forward.v_stride = op.dq_stride = op.dk_stride = op.dv_stride = stride;
    forward.o_stride = outWidth + 8, op.do_stride = outWidth;
    forward.scale = 0.7;
    forward.q = packed.data(), forward.k = packed.data() + width, forward.v = packed.data() + width + keyWidth;
    forward.o = o.data(), forward.lse = lse.data(), op.d_o = dOut.data();
    op.d_q = dPacked.data(), op.d_k = dPacked.data() + width, op.d_v = dPacked.data() + width + keyWidth;
  }
  std::vector<Real> packed, o, dOut, dPacked;
  std::vector<Total> lse, sinks, share, decay, dDecay, bias, dBias;
};

template <typename Number> std::vector<double> wide(const std::vector<Number> &numbers) {
  return {numbers.begin(), numbers.end()};
}

template <typename Real> void compareInBlocks(AttentionGradOp op, double tolerance, int64_t mostScores) {
  AttentionGradOp expectedOp = op;
  Memory<Real> got(op), expected(expectedOp);
  AttentionGradTensors tensors = tensorsOf(op, at::kCPU);
  tensors.forward.mostScores = mostScores;
  attendPlainly(tensors.forward);
  attendPlainlyBackward(tensors);
  const auto device = makeDevice("cpu");
  device->submit(expectedOp.forward);
  device->submit(expectedOp);
  EXPECT_LE(relativeError(wide(got.o), wide(expected.o)), tolerance);
  EXPECT_LE(relativeError(wide(got.lse), wide(expected.lse)), tolerance);
  if (op.forward.has_sinks) {
    EXPECT_LE(relativeError(wide(got.share), wide(expected.share)), tolerance);
  }
  EXPECT_LE(relativeError(wide(got.dPacked), wide(expected.dPacked)), 2 * tolerance);
  if (op.forward.has_decay && op.forward.length > 1) { // alone, a token has no scores that it is in
    EXPECT_LE(relativeError(wide(got.dDecay), wide(expected.dDecay)), 2 * tolerance);
  }
  if (op.forward.reach && op.forward.length > 1 && op.forward.window != 1) { // of one key, scores do not matter
    EXPECT_LE(relativeError(wide(got.dBias), wide(expected.dBias)), 2 * tolerance);
  }
}

// All queries at once, one by one, and some, which do not divide them.
template <typename Real> void compare(const AttentionGradOp &op, double tolerance) {
  const int64_t scoresOfToken = op.forward.heads * op.forward.length;
  for (const int64_t mostScores : {scoresOfToken * op.forward.length, int64_t{1}, 2 * scoresOfToken})
    compareInBlocks<Real>(op, tolerance, mostScores);
}

// Documents of different lengths in each row.
std::vector<int32_t> placesIn(const AttentionOp &op) {
  std::vector<int32_t> positions;
  for (int64_t token = 0; token < op.batch * op.length; ++token)
    positions.push_back(token % op.length == 0 || token % 5 == 3 ? 0 : positions.back() + 1);
  return positions;
}

AttentionGradOp sized(int64_t batch, int64_t length, int64_t heads, int64_t kvHeads, int64_t headDim, bool causal,
                      int64_t window = 0, bool alibi = false, int64_t valueDim = 0) {
  AttentionGradOp op;
  AttentionOp &forward = op.forward;
  forward.batch = batch, forward.length = length, forward.heads = heads, forward.kv_heads = kvHeads;
  forward.head_dim = headDim, forward.causal = causal, forward.window = window, forward.alibi = alibi;
  forward.value_dim = valueDim ? valueDim : headDim;
  return op;
}

const AttentionGradOp cases[] = {sized(2, 9, 2, 2, 4, true),
                                 sized(1, 1, 1, 1, 8, true),
                                 sized(2, 33, 6, 2, 16, true),
                                 sized(2, 17, 4, 1, 8, false),
                                 sized(2, 33, 6, 2, 16, true, 7),
                                 sized(1, 9, 2, 1, 4, true, 1),
                                 sized(2, 33, 6, 2, 16, true, 0, true),
                                 sized(2, 33, 6, 2, 16, true, 0, false, 8),
                                 sized(2, 17, 4, 1, 4, false, 0, false, 20)};

} // namespace

TEST(PlainAttention, AgreesWithTheCpu) {
  for (const AttentionGradOp &op : cases) {
    compare<double>(op, 1e-13);
    compare<float>(op, 2e-5);
    compare<Bf16>(op, 1.0 / 128);
  }
}

TEST(PlainAttention, WithSinksAgreesWithTheCpu) {
  for (AttentionGradOp op : cases) {
    op.forward.has_sinks = 1;
    compare<double>(op, 1e-13);
    compare<Bf16>(op, 1.0 / 64); // o is rounded before the sinks and behind them
  }
}

TEST(PlainAttention, OfCappedScoresAgreesWithTheCpu) {
  for (AttentionGradOp op : cases) {
    op.forward.cap = 0.4;
    compare<double>(op, 1e-13);
    compare<float>(op, 2e-5);
    compare<Bf16>(op, 1.0 / 128);
  }
}

TEST(PlainAttention, WithADecayAgreesWithTheCpu) {
  for (AttentionGradOp op : cases) {
    if (!op.forward.causal)
      continue;
    const std::vector<int32_t> positions = placesIn(op.forward);
    for (const bool beside : {false, true}) {
      op.forward.has_decay = 1, op.forward.has_sinks = beside, op.forward.cap = beside ? 0.4 : 0;
      op.forward.positions = beside ? positions.data() : nullptr;
      compare<double>(op, 1e-13);
      compare<float>(op, 2e-5);
      compare<Bf16>(op, beside ? 1.0 / 64 : 1.0 / 128);
    }
  }
}

TEST(PlainAttention, WithABiasAgreesWithTheCpu) {
  for (AttentionGradOp op : cases) {
    if (!op.forward.causal)
      continue;
    const std::vector<int32_t> positions = placesIn(op.forward);
    for (const int64_t reach : {2, 5, 100}) {
      const bool beside = reach == 5;
      op.forward.reach = reach, op.forward.has_decay = op.forward.has_sinks = beside;
      op.forward.cap = beside ? 0.4 : 0, op.forward.positions = beside ? positions.data() : nullptr;
      compare<double>(op, 1e-13);
      compare<float>(op, 2e-5);
      compare<Bf16>(op, beside ? 1.0 / 64 : 1.0 / 128);
    }
  }
}

TEST(PlainAttention, AgreesWithTheCpuOnDocuments) {
  for (AttentionGradOp op : cases) {
    const std::vector<int32_t> positions = placesIn(op.forward);
    op.forward.positions = positions.data();
    compare<double>(op, 1e-13);
    compare<Bf16>(op, 1.0 / 128);
  }
}

TEST(PlainAttention, LibrariesAreTriedOnlyWithRowsTheyTake) {
  AttentionGradOp op = sized(1, 16, 2, 2, 64, true);
  Memory<Bf16> memory(op);
  auto place = [](int64_t address) { return reinterpret_cast<void *>(address); };
  AttentionOp &forward = op.forward;
  forward.q = place(4096), forward.k = place(8192), forward.v = place(12288), forward.o = place(16384);
  op.d_o = op.d_q = op.d_k = op.d_v = place(32768);
  EXPECT_TRUE(mayTry(AttentionMethod::Flash, op));
  auto refused = [&](auto change) {
    AttentionGradOp changed = op;
    change(changed);
    EXPECT_FALSE(mayTry(AttentionMethod::Flash, changed));
    EXPECT_FALSE(mayTry(AttentionMethod::Cudnn, changed));
    EXPECT_TRUE(mayTry(AttentionMethod::Plain, changed));
  };
  AttentionGradOp wide = op; // its strides are what they were: they do not matter here
  wide.forward.value_dim = 72;
  EXPECT_FALSE(mayTry(AttentionMethod::Flash, wide));
  EXPECT_TRUE(mayTry(AttentionMethod::Cudnn, wide));
  refused([](AttentionGradOp &o) { o.forward.dtype = STRETTO_F32; });
  refused([](AttentionGradOp &o) { o.forward.head_dim = 12; });
  refused([](AttentionGradOp &o) { o.forward.head_dim = 264; });
  refused([](AttentionGradOp &o) { o.forward.value_dim = 12; });
  refused([](AttentionGradOp &o) { o.forward.value_dim = 264; });
  refused([](AttentionGradOp &o) { o.forward.k_stride += 4; });
  refused([](AttentionGradOp &o) { o.forward.heads = o.forward.kv_heads = 3, o.forward.alibi = 1; });
  refused([](AttentionGradOp &o) { o.forward.cap = 30; });
  refused([&](AttentionGradOp &o) { o.forward.decay = place(4096); });
  refused([&](AttentionGradOp &o) { o.forward.bias = place(4096); });
  refused([&](AttentionGradOp &o) { o.forward.v = place(12288 + 8); });
  refused([&](AttentionGradOp &o) { o.d_k = place(32768 + 2); });
  const int32_t places[16] = {}, starts[2] = {0, 16};
  refused([&](AttentionGradOp &o) { o.forward.positions = places; });
  op.forward.positions = places, op.forward.starts = starts, op.forward.documents = 1;
  EXPECT_TRUE(mayTry(AttentionMethod::Flash, op));
  EXPECT_FALSE(mayTry(AttentionMethod::Cudnn, op));
}

TEST(PlainAttention, FloatsAreTriedOnlyWithRowsThatAreAligned) {
  AttentionGradOp op = sized(1, 16, 2, 2, 12, true);
  Memory<float> memory(op);
  for (void **data : {&op.forward.q, &op.forward.k, &op.forward.v, &op.forward.o, &op.d_o, &op.d_q, &op.d_k, &op.d_v})
    *data = reinterpret_cast<void *>(4096);
  EXPECT_TRUE(mayTry(AttentionMethod::Efficient, op));
  auto refused = [&](auto change) {
    AttentionGradOp changed = op;
    change(changed);
    EXPECT_FALSE(mayTry(AttentionMethod::Efficient, changed));
  };
  refused([](AttentionGradOp &o) { o.forward.dtype = STRETTO_F64; });
  refused([](AttentionGradOp &o) { o.forward.dtype = STRETTO_BF16; });
  refused([](AttentionGradOp &o) { o.forward.head_dim = 14; });
  refused([](AttentionGradOp &o) { o.forward.value_dim = 14; });
  refused([](AttentionGradOp &o) { o.dq_stride += 2; });
  refused([](AttentionGradOp &o) { o.d_v = reinterpret_cast<void *>(4096 + 8); });
  const int32_t places[16] = {}, starts[2] = {0, 16};
  refused([&](AttentionGradOp &o) { o.forward.positions = places, o.forward.starts = starts; });
}
