// Attention on the CPU, forward and backward, against plain loops in f64.
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/tiles/matmul.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/support/attention_loops.h"

#include <span>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

using Case = AttentionSizes;

// What is computed beside the rows: lse, sinks and their share, a decay, a bias and their gradients.
template <typename Real> using Total = std::conditional_t<sizeof(Real) == 2, float, Real>;

// Far from each other: some take nearly all of a softmax, some nearly nothing.
template <typename Real> std::vector<Total<Real>> sinksOf(const Case &c) {
  std::vector<Total<Real>> sinks = randomReals<Total<Real>>(c.heads, 5);
  for (Total<Real> &sink : sinks)
    sink *= 9;
  return sinks;
}

// Mostly below 0, some of it so far that little is seen behind it, or, beside f64, whose sums it would round, nothing.
template <typename Real> std::vector<Total<Real>> decayOf(const Case &c) {
  std::vector<Total<Real>> decay = randomReals<Total<Real>>(c.batch * c.length * c.heads, 6);
  for (Total<Real> &each : decay)
    each = each < Total<Real>(-0.99) && sizeof(Real) < 8 ? Total<Real>(-4096)
           : each < Total<Real>(-0.98)                   ? 20 * each
                                                         : each / 4 - Total<Real>(0.1);
  return decay;
}

template <typename Real> std::vector<Total<Real>> biasOf(const Case &c) {
  return randomReals<Total<Real>>(c.heads * c.reach, 7);
}

// Rows of `width` numbers set into rows of `stride`.
template <typename Real> std::vector<Real> strided(int64_t rows, int64_t width, int64_t stride, uint32_t stream) {
  const auto dense = randomReals<Real>(rows * width, stream);
  std::vector<Real> out(rows * stride, Real(99));
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(&dense[row * width], width, &out[row * stride]);
  return out;
}

template <typename Real> std::vector<double> dense(int64_t count, uint32_t stream) {
  const auto values = randomReals<Real>(count, stream);
  return {values.begin(), values.end()};
}

template <typename Real> AttentionResults reference(const Case &c) {
  const int64_t rows = c.batch * c.length;
  const auto sinks = sinksOf<Real>(c), decay = decayOf<Real>(c), bias = biasOf<Real>(c);
  return loopsOfAttention(c, {dense<Real>(rows * c.width(), 1),
                              dense<Real>(rows * c.keyWidth(), 2),
                              dense<Real>(rows * c.valueWidth(), 3),
                              dense<Real>(rows * c.outWidth(), 4),
                              {sinks.begin(), sinks.end()},
                              {decay.begin(), decay.end()},
                              {bias.begin(), bias.end()}});
}

template <typename Real>
std::vector<double> gather(Workbench &bench, stretto_buffer buffer, int64_t rows, int64_t width, int64_t stride) {
  const auto all = bench.read<Real>(buffer, (rows - 1) * stride + width);
  std::vector<double> out(rows * width);
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(all.begin() + row * stride, width, out.begin() + row * width);
  return out;
}

// q, k, v are column ranges of one buffer with a gap; gradients likewise.
template <typename Real> std::vector<std::vector<double>> run(const Case &c, int threads, const char *device = "cpu") {
  Workbench bench(dtypeOf<Total<Real>>(), device);
  bench.device->setThreads(threads);
  const int64_t rows = c.batch * c.length, w = c.width(), kw = c.keyWidth(), vw = c.valueWidth(), ow = c.outWidth(),
                stride = w + kw + vw + 8;
  stretto_attention_args args{};
  args.batch = c.batch, args.length = c.length;
  args.heads = c.heads, args.kv_heads = c.kvHeads, args.head_dim = c.headDim;
  args.value_dim = c.valueDim();
  args.q_stride = args.k_stride = args.v_stride = stride;
  args.o_stride = ow + 4;
  args.scale = 1 / std::sqrt(static_cast<double>(c.headDim));
  args.causal = c.causal;
  args.window = c.window, args.alibi = c.alibi, args.cap = c.cap;
  args.dtype = dtypeOf<Real>();
  auto column = [&](stretto_buffer base, int64_t offset) {
    base.offset += offset * static_cast<int64_t>(sizeof(Real));
    return base;
  };
  std::vector<Real> packed(rows * stride, Real(7));
  const auto q = randomReals<Real>(rows * w, 1), k = randomReals<Real>(rows * kw, 2),
             v = randomReals<Real>(rows * vw, 3);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(&q[row * w], w, &packed[row * stride]);
    std::copy_n(&k[row * kw], kw, &packed[row * stride + w]);
    std::copy_n(&v[row * vw], vw, &packed[row * stride + w + kw]);
  }
  args.q = bench.place(packed);
  args.k = column(args.q, w), args.v = column(args.q, w + kw);
  args.o = bench.place(std::vector<Real>(rows * (ow + 4), Real(5)));
  args.lse = bench.reserve(rows * c.heads * sizeof(Total<Real>));
  args.share = bench.place(std::vector<Total<Real>>(rows * c.heads));
  if (c.sinks) {
    args.has_sinks = 1;
    args.sinks = bench.place(sinksOf<Real>(c));
  }
  if (c.decay) {
    args.has_decay = 1;
    args.decay = bench.place(decayOf<Real>(c));
  }
  args.reach = c.reach;
  args.bias = bench.place(biasOf<Real>(c));
  if (c.cut) {
    args.has_positions = 1;
    args.positions = bench.place(positionsOf(c));
  }
  stretto_attention(&bench.context, &args);
  stretto_attention_grad_args grad{args, ow + 1, stride, stride, stride, {}, {}, {}, {}, {}, {}};
  grad.d_decay = bench.place(std::vector<Total<Real>>(rows * c.heads));
  grad.d_bias = bench.place(std::vector<Total<Real>>(c.heads * c.reach));
  grad.d_o = bench.place(strided<Real>(rows, ow, ow + 1, 4));
  grad.d_q = bench.place(std::vector<Real>(rows * stride, Real(3)));
  grad.d_k = column(grad.d_q, w), grad.d_v = column(grad.d_q, w + kw);
  stretto_attention_grad(&bench.context, &grad);
  auto tail = bench.read<Real>(grad.d_q, rows * stride);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = w + kw + vw; i < stride; ++i)
      EXPECT_EQ(static_cast<double>(tail[row * stride + i]), 3) << "the gap between rows was written";
  return {gather<Real>(bench, args.o, rows, ow, ow + 4),
          gather<Total<Real>>(bench, args.lse, 1, rows * c.heads, 1),
          gather<Real>(bench, grad.d_q, rows, w, stride),
          gather<Real>(bench, column(grad.d_q, w), rows, kw, stride),
          gather<Real>(bench, column(grad.d_q, w + kw), rows, vw, stride),
          gather<Total<Real>>(bench, args.share, 1, rows * c.heads, 1),
          gather<Total<Real>>(bench, grad.d_decay, 1, rows * c.heads, 1),
          gather<Total<Real>>(bench, grad.d_bias, 1, c.heads * c.reach, 1)};
}

// Relative to the largest number expected; where documents of one token make all of them zero, the largest that is not.
double errorOf(const std::vector<double> &got, const std::vector<double> &expected) {
  const bool isZero =
      std::all_of(expected.begin(), expected.end(), [](double value) { return std::abs(value) < 1e-14; });
  double largest = 0;
  for (double value : got)
    largest = std::max(largest, std::abs(value));
  return isZero ? largest : relativeError(got, expected);
}

template <typename Real> void compare(const Case &c) {
  const auto got = run<Real>(c, 2);
  const AttentionResults r = reference<Real>(c);
  const std::vector<double> *expected[] = {&r.o, &r.lse, &r.dq, &r.dk, &r.dv, &r.share, &r.dDecay, &r.dBias};
  const char *names[] = {"o", "lse", "dq", "dk", "dv", "share", "decay's", "bias's"};
  for (size_t i = 0; i < std::size(names); ++i) {
    const bool total = expected[i] == &r.lse ||
                       expected[i] == &r.share; // a float beside BF16; gradients there read an o that was rounded
    EXPECT_LE(errorOf(got[i], *expected[i]), sizeof(Real) > 2 ? tolerance<Real>()
                                             : total          ? tolerance<float>()
                                                              : 2 * tolerance<Real>())
        << names[i] << " at T=" << c.length << " H=" << c.heads << "/" << c.kvHeads << " D=" << c.headDim;
  }
}

const Case cases[] = {{2, 9, 2, 2, 4, true},       {1, 1, 1, 1, 8, true},      {2, 70, 4, 2, 16, true},
                      {1, 130, 4, 1, 12, true},    {2, 40, 2, 2, 8, false},    {1, 600, 2, 1, 32, true},
                      {1, 1100, 1, 1, 8, false},   {2, 70, 4, 2, 16, true, 5}, {3, 40, 2, 2, 8, false, 7},
                      {2, 650, 2, 1, 8, true, 97}, {2, 9, 2, 2, 4, true, 1},   {1, 1300, 2, 1, 20, true},
                      {1, 64, 1, 1, 67, true},     {1, 400, 2, 1, 67, true},   {1, 1400, 2, 1, 5, true, 120134}};

const Case distances[] = {{2, 70, 4, 2, 16, true, 0, 0, true},
                          {1, 300, 8, 8, 4, true, 0, 0, true},
                          {1, 600, 3, 1, 32, true, 0, 0, true},
                          {2, 650, 2, 1, 8, true, 97, 0, true},
                          {1, 1300, 2, 1, 20, true, 0, 100, true}};

// Values of another width than keys.
const Case widths[] = {{2, 9, 2, 2, 4, true, 0, 0, false, 1},
                       {2, 70, 4, 2, 24, true, 0, 0, false, 16},
                       {1, 130, 4, 1, 12, true, 0, 0, false, 67},
                       {2, 40, 2, 2, 8, false, 0, 0, false, 16},
                       {1, 1300, 2, 1, 40, true, 120134, 100, true, 20},
                       {1, 600, 2, 1, 96, true, 0, 0, false, 130}};

const Case sinks[] = {{2, 9, 2, 2, 4, true, 0, 0, false, 0, true},
                      {2, 70, 4, 2, 16, true, 0, 0, false, 0, true},
                      {2, 40, 2, 2, 8, false, 7, 0, false, 12, true},
                      {1, 600, 8, 1, 32, true, 0, 0, true, 0, true},
                      {1, 1300, 2, 1, 20, true, 120134, 100, false, 0, true}};

// Caps that some scores come near, that all do, and that none does.
const Case caps[] = {
    {2, 9, 2, 2, 4, true, 0, 0, false, 0, false, 0.5},           {2, 70, 4, 2, 16, true, 0, 0, false, 0, false, 0.01},
    {2, 40, 2, 2, 8, false, 7, 0, false, 12, true, 0.3},         {1, 600, 3, 1, 32, true, 0, 0, true, 0, false, 50},
    {1, 1300, 2, 1, 20, true, 120134, 100, false, 0, true, 0.2}, {2, 650, 2, 1, 8, true, 97, 30, true, 0, false, 0.4}};

// Beside all that a decay goes with.
const Case decays[] = {{2, 9, 2, 2, 4, true, 0, 0, false, 0, false, 0, true},
                       {1, 1, 1, 1, 8, true, 0, 0, false, 0, true, 0, true},
                       {2, 70, 4, 2, 16, true, 5, 0, false, 0, false, 0, true},
                       {1, 600, 3, 1, 32, true, 0, 0, true, 0, false, 0.3, true},
                       {1, 1300, 2, 1, 20, true, 120134, 100, false, 0, true, 0.2, true},
                       {2, 650, 4, 2, 7, true, 97, 30, true, 12, true, 0, true},
                       {1, 1100, 2, 2, 5, true, 0, 0, false, 67, true, 0.2, true}};

// Biases that reach a token, a block, over panels and ranges of keys, and further than a row, beside all that they go
// with.
const Case biases[] = {{2, 9, 2, 2, 4, true, 0, 0, false, 0, false, 0, false, 3},
                       {1, 1, 1, 1, 8, true, 0, 0, false, 0, true, 0, false, 1},
                       {2, 70, 4, 2, 16, true, 5, 0, false, 0, false, 0, false, 64},
                       {1, 600, 3, 1, 32, true, 0, 0, true, 0, false, 0.3, false, 1000},
                       {1, 1300, 2, 1, 20, true, 120134, 100, false, 0, true, 0.2, false, 70},
                       {2, 650, 4, 2, 7, true, 97, 30, true, 12, true, 0, true, 20},
                       {1, 1100, 2, 2, 5, true, 0, 0, false, 67, false, 0.2, true, 800},
                       {1, 1700, 1, 1, 5, true, 0, 600, false, 0, false, 0, false, 130}};

// Windows of one token, within a block, over panels and ranges of keys, and of more than a row.
const Case windows[] = {{2, 70, 4, 2, 16, true, 0, 1},     {2, 130, 2, 1, 8, true, 0, 20},
                        {1, 300, 1, 1, 12, true, 0, 64},   {1, 1100, 2, 1, 8, true, 0, 65},
                        {1, 1300, 2, 1, 20, true, 0, 200}, {1, 1700, 1, 1, 5, true, 0, 600},
                        {2, 650, 2, 1, 8, true, 97, 30},   {1, 1400, 2, 1, 5, true, 120134, 300},
                        {1, 1100, 1, 1, 67, true, 0, 511}, {1, 40, 2, 2, 8, true, 0, 1000}};

// Rows [first, first + count) of `width` numbers.
std::vector<double> rowsOf(const std::vector<double> &all, int64_t first, int64_t count, int64_t width) {
  return {all.begin() + first * width, all.begin() + (first + count) * width};
}

// A document at the begin of a row has the bits that it has when nothing follows it.
void compareWithAlone(const Case &packed) {
  const std::vector<int32_t> positions = positionsOf(packed);
  const int64_t length = std::find(positions.begin() + 1, positions.end(), 0) - positions.begin();
  ASSERT_LT(length, packed.length);
  Case alone = packed;
  alone.length = length, alone.cut = 0;
  const auto together = run<float>(packed, 2), single = run<float>(alone, 2);
  for (const auto &[i, width] : {std::pair(0, packed.outWidth()),
                                 {2, packed.width()},
                                 {3, packed.keyWidth()},
                                 {4, packed.valueWidth()},
                                 {6, packed.heads}}) {
    EXPECT_EQ(rowsOf(together[i], 0, length, width), single[i]);
  }
}

// In all types, and in narrow tiles.
void compareAll(std::span<const Case> all) {
  for (const Case &c : all) {
    compare<float>(c);
    compare<double>(c);
    compare<Bf16>(c);
    tiles::NarrowTiles narrow;
    compare<float>(c);
  }
}

} // namespace

TEST(Attention, AgreesWithLoopsInF32) {
  for (const Case &c : cases)
    compare<float>(c);
}

TEST(Attention, WithSinksAgreesWithLoops) { compareAll(sinks); }

TEST(Attention, OfCappedScoresAgreesWithLoops) { compareAll(caps); }

TEST(Attention, WithADecayAgreesWithLoops) { compareAll(decays); }

TEST(Attention, WithABiasAgreesWithLoops) { compareAll(biases); }

TEST(Attention, AgreesWithLoopsInNarrowTiles) {
  tiles::NarrowTiles narrow;
  for (const Case &c : cases)
    compare<float>(c);
}

TEST(Attention, AgreesWithLoopsInF64) {
  for (const Case &c : cases)
    compare<double>(c);
}

TEST(Attention, AgreesWithLoopsInBf16) {
  for (const Case &c : cases)
    compare<Bf16>(c);
}

TEST(Attention, WithAWindowAgreesWithLoops) { compareAll(windows); }

TEST(Attention, WithDistancesAgreesWithLoops) { compareAll(distances); }

TEST(Attention, OfValuesOfAnotherWidthAgreesWithLoops) { compareAll(widths); }

TEST(Attention, AWindowThatHidesNothingChangesNoBit) {
  Case wide{1, 600, 2, 1, 32, true};
  const auto whole = run<float>(wide, 2);
  wide.window = wide.length;
  EXPECT_EQ(run<float>(wide, 2), whole);
}

static void expectSameBits(const Case &c) {
  const auto one = run<float>(c, 1);
  EXPECT_EQ(one, run<float>(c, 2));
  EXPECT_EQ(one, run<float>(c, 3));
  EXPECT_EQ(one, run<float>(c, 2, "null-async"));
}

TEST(Attention, BitsDoNotDependOnThreadsOrDevice) {
  for (const auto &all : {std::span<const Case>(cases), std::span<const Case>(windows), std::span<const Case>(widths),
                          std::span<const Case>(decays), std::span<const Case>(biases)})
    for (const Case &c : all) {
      expectSameBits(c);
      tiles::NarrowTiles narrow;
      expectSameBits(c);
    }
}

TEST(Attention, DocumentsHaveTheBitsOfTheDocumentAlone) {
  compareWithAlone({1, 70, 4, 2, 16, true, 31});
  compareWithAlone({1, 1400, 2, 1, 5, true, 120134});
  compareWithAlone({1, 1400, 2, 1, 5, true, 120134, 100});
  compareWithAlone({1, 1400, 2, 1, 5, true, 120134, 0, false, 0, false, 0, true});
}

// What its threads need is there when a program starts, and counted.
TEST(Attention, TakesNoMemoryAfterItWasReserved) {
  Workbench bench(STRETTO_F32, "cpu");
  ReserveOp reserve;
  AttentionGradOp grad;
  AttentionOp &op = grad.forward;
  op.batch = 1, op.length = 100, op.heads = op.kv_heads = 1, op.causal = 1, op.scale = 1;
  op.head_dim = op.value_dim = 24;
  op.dtype = STRETTO_F32;
  op.q_stride = op.k_stride = op.v_stride = op.o_stride = op.head_dim;
  grad.do_stride = grad.dq_stride = grad.dk_stride = grad.dv_stride = op.head_dim;
  reserve.attention = {op}, reserve.attentionGrad = {grad};
  bench.device->submit(reserve);
  const int64_t before = bench.device->libraryPeakBytes();
  std::vector<std::vector<float>> tensors(9, std::vector<float>(op.length * op.head_dim, 0.5f));
  int next = 0;
  for (void **buffer : {&op.q, &op.k, &op.v, &op.o, &op.lse, &grad.d_o, &grad.d_q, &grad.d_k, &grad.d_v})
    *buffer = tensors[next++].data();
  bench.device->submit(op);
  bench.device->submit(grad);
  EXPECT_EQ(bench.device->libraryPeakBytes(), before);
  EXPECT_GE(before, attentionScratch(grad) * bench.device->threads());
}
