// Caches for generation, and attention over them, on the CPU.
#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::test;

namespace {

using Words = std::vector<int32_t>;

// Rows of two columns that tell sequence and row apart.
std::vector<float> numbered(int64_t batch, int64_t rows, float first) {
  std::vector<float> values;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t r = 0; r < rows; ++r)
      values.insert(values.end(), {first + 100.0f * static_cast<float>(b) + static_cast<float>(r), 0.5f});
  return values;
}

TEST(Caches, ValidRowsLieAtTheirPositions) {
  Workbench bench(STRETTO_F32);
  const stretto_buffer cache = bench.place(std::vector<float>(2 * 4 * 2, -1.0f));
  // Rows of a wider value: two of four columns.
  std::vector<float> wide;
  for (float value : numbered(2, 3, 0))
    wide.push_back(value);
  std::vector<float> strided(2 * 3 * 4, 9.0f);
  for (size_t i = 0; i < 6; ++i)
    std::copy_n(&wide[2 * i], 2, &strided[4 * i]);
  stretto_write_cache_args args{
      2, 3, 4, 8, 16, bench.place(strided), bench.place(Words{3, 4, 5, 0, 1, 2}), bench.place(Words{3, 1}), cache};
  stretto_write_cache(&bench.context, &args);
  const std::vector<float> expected = {1, 0.5, 2, 0.5, -1, -1, 0, 0.5, 100, 0.5, -1, -1, -1, -1, -1, -1};
  EXPECT_EQ(bench.read<float>(cache, 16), expected);
}

TEST(Caches, RowsBackAreReadAndZeroBeforeTheStart) {
  Workbench bench(STRETTO_F32);
  const stretto_buffer to = bench.reserve(2 * 2 * 8);
  stretto_read_cache_args args{2, 2, 4, 8, 2, bench.place(numbered(2, 4, 10)), bench.place(Words{7, 8, 1, 2}), to};
  stretto_read_cache(&bench.context, &args);
  // Positions 5 and 6 lie at 1 and 2; position -1 is before the start.
  EXPECT_EQ(bench.read<float>(to, 8), (std::vector<float>{11, 0.5, 12, 0.5, 0, 0, 110, 0.5}));
}

TEST(Caches, LastValidRowOfEachSequence) {
  Workbench bench(STRETTO_F32);
  const stretto_buffer to = bench.reserve(3 * 8);
  stretto_last_row_args args{3, 3, 8, bench.place(numbered(3, 3, 0)), bench.place(Words{2, 3, 0}), to};
  stretto_last_row(&bench.context, &args);
  EXPECT_EQ(bench.read<float>(to, 6), (std::vector<float>{1, 0.5, 102, 0.5, 200, 0.5}));
}

struct StepShape {
  static constexpr int64_t batch = 3;
  int64_t rows, capacity, heads, kvHeads, headDim;
  int64_t window = 0, later = 0; // later: how much further than its cache is long the sequence in the middle has come
  int32_t alibi = 0;
  double scale = 0.3;
  int64_t values = 0; // columns of a head of values; 0: as of keys
  bool sinks = false;
  double cap = 0;
  bool decay = false;
  int64_t reach = 0;
  int64_t valueDim() const { return values ? values : headDim; }
  int64_t width() const { return heads * headDim; }
  int64_t outWidth() const { return heads * valueDim(); }
  int64_t keyWidth() const { return kvHeads * headDim; }
  int64_t valueWidth() const { return kvHeads * valueDim(); }
  int64_t stride() const { return width() + 5; } // of queries
};

// One sequence is in the middle, one at the start with a part of its rows, one at rest.
Words stepPositions(const StepShape &s) {
  Words positions(s.batch * s.rows);
  for (int64_t r = 0; r < s.rows; ++r) {
    positions[r] = static_cast<int32_t>(s.later + s.capacity - s.rows + r);
    positions[s.rows + r] = static_cast<int32_t>(r);
  }
  return positions;
}
Words stepCounts(const StepShape &s) {
  return {static_cast<int32_t>(s.rows), static_cast<int32_t>((s.rows + 1) / 2), 0};
}

// What is no activation.
template <typename Real> using Total = std::conditional_t<sizeof(Real) == 2, float, Real>;

// The attention of the query at a position, computed key by key: of one head of a sequence, whose decay and bias begin
// there.
template <typename Real>
void attendKeyByKey(const StepShape &s, int64_t head, const Real *q, const Real *k, const Real *v, double sink,
                    const Total<Real> *decay, const Total<Real> *bias, int64_t position, double *out) {
  const double slope = s.alibi ? std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(s.heads)) : 0;
  const int64_t first = s.window ? std::max<int64_t>(0, position + 1 - s.window) : 0;
  std::vector<double> scores;
  for (int64_t at = first; at <= position; ++at) {
    const Real *key = k + at % s.capacity * s.keyWidth();
    double dot = 0;
    for (int64_t i = 0; i < s.headDim; ++i)
      dot += static_cast<double>(q[i]) * static_cast<double>(key[i]);
    const double score = s.cap > 0 ? s.cap * std::tanh(s.scale * dot / s.cap) : s.scale * dot;
    double behind = 0;
    for (int64_t i = at + 1; s.decay && i <= position; ++i)
      behind += static_cast<double>(decay[i % s.capacity * s.heads]);
    if (s.reach)
      behind += static_cast<double>(bias[std::min(position - at, s.reach - 1)]);
    scores.push_back(score - slope * static_cast<double>(position - at) + behind);
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = s.sinks ? std::exp(sink - most) : 0;
  for (int64_t at = first; at <= position; ++at) {
    const double weight = std::exp(scores[at - first] - most);
    sum += weight;
    for (int64_t i = 0; i < s.valueDim(); ++i)
      out[i] += weight * static_cast<double>(v[at % s.capacity * s.valueWidth() + i]);
  }
  for (int64_t i = 0; i < s.valueDim(); ++i)
    out[i] /= sum;
}

template <typename Real> void checkStep(const StepShape &s) {
  const auto q = randomReals<Real>(s.batch * s.rows * s.stride(), 1);
  const auto k = randomReals<Real>(s.batch * s.capacity * s.keyWidth(), 2);
  const auto v = randomReals<Real>(s.batch * s.capacity * s.valueWidth(), 3);
  const auto sinks = randomReals<Total<Real>>(s.heads, 4);
  const auto decay = randomReals<Total<Real>>(s.batch * s.capacity * s.heads, 5);
  const auto bias = randomReals<Total<Real>>(s.heads * s.reach, 6);
  const Words positions = stepPositions(s), counts = stepCounts(s);
  const int64_t numbers = s.batch * s.rows * s.outWidth();
  std::vector<double> expected(numbers);
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t r = 0; r < counts[b]; ++r)
      for (int64_t h = 0; h < s.heads; ++h) {
        const int64_t row = b * s.rows + r, kvHead = h / (s.heads / s.kvHeads), sequence = b * s.capacity;
        attendKeyByKey(s, h, &q[row * s.stride() + h * s.headDim], &k[sequence * s.keyWidth() + kvHead * s.headDim],
                       &v[sequence * s.valueWidth() + kvHead * s.valueDim()], static_cast<double>(sinks[h]),
                       &decay[sequence * s.heads + h], bias.data() + h * s.reach, positions[row],
                       &expected[row * s.outWidth() + h * s.valueDim()]);
      }
  Workbench bench(sizeof(Real) == 2 ? STRETTO_F32 : dtypeOf<Real>());
  const stretto_buffer o = bench.reserve(numbers * sizeof(Real));
  stretto_attention_step_args args{.batch = s.batch,
                                   .rows = s.rows,
                                   .capacity = s.capacity,
                                   .heads = s.heads,
                                   .kv_heads = s.kvHeads,
                                   .head_dim = s.headDim,
                                   .value_dim = s.valueDim(),
                                   .q_stride = s.stride(),
                                   .o_stride = s.outWidth(),
                                   .window = s.window,
                                   .reach = s.reach,
                                   .scale = s.scale,
                                   .cap = s.cap,
                                   .dtype = dtypeOf<Real>(),
                                   .alibi = s.alibi,
                                   .has_sinks = s.sinks,
                                   .has_decay = s.decay,
                                   .q = bench.place(q),
                                   .k = bench.place(k),
                                   .v = bench.place(v),
                                   .positions = bench.place(positions),
                                   .counts = bench.place(counts),
                                   .o = o,
                                   .sinks = bench.place(sinks),
                                   .decay = bench.place(decay),
                                   .bias = bench.place(bias)};
  stretto_attention_step(&bench.context, &args);
  EXPECT_LT(relativeError(bench.read<Real>(o, numbers), expected), tolerance<Real>())
      << s.rows << " of " << s.capacity << ", " << s.heads << " heads";
}

TEST(AttentionStep, MatchesKeyByKey) {
  for (const int64_t rows : {1, 5, 40})
    for (const int64_t capacity : {int64_t(40), int64_t(600)}) {
      checkStep<float>({rows, capacity, 4, 2, 8});
      checkStep<double>({rows, capacity, 3, 3, 5});
    }
  checkStep<double>({1, 1100, 2, 1, 16});
  checkStep<Bf16>({5, 40, 4, 2, 8});
}

TEST(AttentionStep, WithSinksMatchesKeyByKey) {
  checkStep<float>({5, 600, 4, 2, 8, 0, 0, 0, 0.3, 0, true});
  checkStep<double>({5, 40, 3, 3, 5, 20, 7, 1, 0.3, 9, true});
  checkStep<Bf16>({5, 40, 4, 2, 8, 0, 0, 0, 0.3, 0, true});
}

TEST(AttentionStep, OfCappedScoresMatchesKeyByKey) {
  checkStep<float>({5, 600, 4, 2, 8, 0, 0, 0, 0.3, 0, false, 0.4});
  checkStep<double>({5, 40, 3, 3, 5, 20, 7, 1, 0.3, 9, true, 0.1});
  checkStep<Bf16>({5, 40, 4, 2, 8, 0, 0, 0, 0.3, 0, false, 30});
}

TEST(AttentionStep, WithADecayMatchesKeyByKey) {
  checkStep<float>({5, 600, 4, 2, 8, 0, 0, 0, 0.3, 0, false, 0, true});
  checkStep<float>({40, 60, 4, 2, 8, 21, 55, 0, 0.3, 0, true, 0, true});
  checkStep<double>({5, 40, 3, 3, 5, 20, 7, 1, 0.3, 9, true, 0.1, true});
  checkStep<double>({1, 1100, 2, 1, 16, 0, 0, 0, 0.3, 0, false, 0, true});
  checkStep<Bf16>({5, 40, 4, 2, 8, 0, 0, 0, 0.3, 0, true, 0, true});
}

TEST(AttentionStep, WithABiasMatchesKeyByKey) {
  checkStep<float>({5, 600, 4, 2, 8, 0, 0, 0, 0.3, 0, false, 0, false, 70});
  checkStep<float>({40, 60, 4, 2, 8, 21, 55, 0, 0.3, 0, true, 0, true, 9});
  checkStep<double>({5, 40, 3, 3, 5, 20, 7, 1, 0.3, 9, true, 0.1, false, 1});
  checkStep<double>({1, 1100, 2, 1, 16, 0, 0, 0, 0.3, 0, false, 0, false, 2000});
  checkStep<Bf16>({5, 40, 4, 2, 8, 0, 0, 0, 0.3, 0, true, 0, true, 30});
}

// The caches hold no more than the windows of a call's rows, and begin anew at any place.
TEST(AttentionStep, WithAWindowMatchesKeyByKey) {
  for (const int64_t window : {1, 7, 40})
    for (const int64_t rows : {1, 5, 40})
      for (const int64_t later : {0, 3, 50, 100}) {
        checkStep<float>({rows, window - 1 + rows, 4, 2, 8, window, later});
        checkStep<double>({rows, window + 12 + rows, 3, 3, 5, window, later});
      }
  checkStep<double>({5, 1300, 2, 1, 16, 1200, 777});
  checkStep<Bf16>({5, 40, 4, 2, 8, 30, 9});
}

// Queries whose keys all lie behind the place where the cache begins anew: there is no maximum of those before.
TEST(AttentionStep, WithAWindowMatchesKeyByKeyWhereScoresAreLow) {
  checkStep<double>({40, 46, 2, 1, 8, 2, 20, 0, 5000});
}

TEST(AttentionStep, OfValuesOfAnotherWidthMatchesKeyByKey) {
  for (const int64_t values : {3, 33}) {
    checkStep<float>({5, 600, 4, 2, 8, 0, 0, 0, 0.3, values});
    checkStep<double>({5, 40, 3, 3, 5, 30, 17, 1, 0.3, values});
    checkStep<Bf16>({1, 40, 4, 2, 8, 0, 0, 0, 0.3, values});
  }
}

TEST(AttentionStep, WithDistancesMatchesKeyByKey) {
  checkStep<float>({5, 600, 4, 2, 8, 0, 0, 1});
  checkStep<double>({5, 40, 3, 3, 5, 30, 17, 1});
}

} // namespace
