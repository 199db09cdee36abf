// Embedding on the CPU and its gradient.
#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::test;

namespace {

constexpr int64_t rows = 37, width = 150, vocabulary = 11;

std::vector<int32_t> someTokens() {
  std::vector<int32_t> tokens(rows);
  for (int64_t i = 0; i < rows; ++i)
    tokens[i] = static_cast<int32_t>(i * i % (vocabulary - 1)); // the last token never appears
  return tokens;
}

template <typename Real> std::vector<Real> gradient(bool accumulate, int threads, const char *device = "cpu") {
  Workbench bench(dtypeOf<Real>(), device);
  bench.device->setThreads(threads);
  stretto_embed_grad_args args{rows, width, vocabulary, accumulate, 0, {}, {}, {}};
  args.tokens = bench.place(someTokens());
  args.d_out = bench.place(randomReals<Real>(rows * width, 1));
  args.d_table = bench.place(randomReals<Real>(vocabulary * width, 2));
  stretto_embed_grad(&bench.context, &args);
  return bench.read<Real>(args.d_table, vocabulary * width);
}

} // namespace

TEST(Embed, PicksRows) {
  Workbench bench(STRETTO_F32);
  const auto table = randomReals<float>(vocabulary * width, 1);
  const auto tokens = someTokens();
  stretto_embed_args args{
      rows, width, vocabulary, bench.place(tokens), bench.place(table), bench.reserve(rows * width * 4)};
  stretto_embed(&bench.context, &args);
  const auto out = bench.read<float>(args.out, rows * width);
  for (int64_t i = 0; i < rows * width; ++i)
    ASSERT_EQ(out[i], table[tokens[i / width] * width + i % width]);
}

// Equality, not closeness: the order of the sum is part of the contract.
TEST(Embed, GradientSumsInTheOrderOfRows) {
  for (bool accumulate : {false, true}) {
    std::vector<float> expected =
        accumulate ? randomReals<float>(vocabulary * width, 2) : std::vector<float>(vocabulary * width);
    const auto dOut = randomReals<float>(rows * width, 1);
    const auto tokens = someTokens();
    for (int64_t i = 0; i < rows * width; ++i)
      expected[tokens[i / width] * width + i % width] += dOut[i];
    EXPECT_EQ(gradient<float>(accumulate, 1), expected);
    EXPECT_EQ(gradient<float>(accumulate, 3), expected);
    EXPECT_EQ(gradient<float>(accumulate, 2, "null-async"), expected);
  }
}

TEST(Embed, RefusesATokenOutsideTheVocabulary) {
  Workbench bench(STRETTO_F32);
  auto tokens = someTokens();
  tokens[3] = vocabulary;
  stretto_embed_args args{rows,
                          width,
                          vocabulary,
                          bench.place(tokens),
                          bench.reserve(vocabulary * width * 4),
                          bench.reserve(rows * width * 4)};
  stretto_embed(&bench.context, &args);
  try {
    bench.read<float>(args.out, 1);
    FAIL() << "no error";
  } catch (const std::exception &error) {
    EXPECT_STREQ(error.what(), "tokens must be in 0..10, but got 11 at row 3");
  }
}
