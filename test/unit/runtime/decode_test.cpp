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

// Attention of some queries, computed key by key.
template <typename Real> void checkStep(int64_t rows, int64_t capacity, int64_t heads, int64_t kvHeads,
                                        int64_t headDim) {
  constexpr int64_t batch = 3;
  const int64_t width = heads * headDim, kvWidth = kvHeads * headDim, stride = width + 5;
  const auto q = randomReals<Real>(batch * rows * stride, 1);
  const auto k = randomReals<Real>(batch * capacity * kvWidth, 2), v = randomReals<Real>(batch * capacity * kvWidth, 3);
  // One sequence in the middle, one at the start with a part of its rows, one at rest.
  Words positions(batch * rows), counts = {static_cast<int32_t>(rows), static_cast<int32_t>((rows + 1) / 2), 0};
  for (int64_t r = 0; r < rows; ++r) {
    positions[r] = static_cast<int32_t>(capacity - rows + r);
    positions[rows + r] = static_cast<int32_t>(r);
  }
  const double scale = 0.3;
  std::vector<double> expected(batch * rows * width);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t r = 0; r < counts[b]; ++r)
      for (int64_t h = 0; h < heads; ++h) {
        double sum = 0;
        double *out = &expected[((b * rows + r) * heads + h) * headDim];
        for (int64_t s = 0; s <= positions[b * rows + r]; ++s) {
          const int64_t key = (b * capacity + s) * kvWidth + h / (heads / kvHeads) * headDim;
          double dot = 0;
          for (int64_t i = 0; i < headDim; ++i)
            dot += static_cast<double>(q[(b * rows + r) * stride + h * headDim + i]) * static_cast<double>(k[key + i]);
          const double weight = std::exp(scale * dot);
          sum += weight;
          for (int64_t i = 0; i < headDim; ++i)
            out[i] += weight * static_cast<double>(v[key + i]);
        }
        for (int64_t i = 0; i < headDim; ++i)
          out[i] /= sum;
      }
  Workbench bench(sizeof(Real) == 2 ? STRETTO_F32 : dtypeOf<Real>());
  const stretto_buffer o = bench.reserve(batch * rows * width * sizeof(Real));
  stretto_attention_step_args args{batch,
                                   rows,
                                   capacity,
                                   heads,
                                   kvHeads,
                                   headDim,
                                   stride,
                                   width,
                                   scale,
                                   dtypeOf<Real>(),
                                   0,
                                   bench.place(q),
                                   bench.place(k),
                                   bench.place(v),
                                   bench.place(positions),
                                   bench.place(counts),
                                   o};
  stretto_attention_step(&bench.context, &args);
  EXPECT_LT(relativeError(bench.read<Real>(o, batch * rows * width), expected), tolerance<Real>())
      << rows << " of " << capacity << ", " << heads << " heads";
}

TEST(AttentionStep, MatchesKeyByKey) {
  for (const int64_t rows : {1, 5, 40})
    for (const int64_t capacity : {int64_t(40), int64_t(600)}) {
      checkStep<float>(rows, capacity, 4, 2, 8);
      checkStep<double>(rows, capacity, 3, 3, 5);
    }
  checkStep<double>(1, 1100, 2, 1, 16);
  checkStep<Bf16>(5, 40, 4, 2, 8);
}

} // namespace
