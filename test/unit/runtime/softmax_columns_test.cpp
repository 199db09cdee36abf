// Softmax over the keys of a panel against plain loops in f64.
#include "runtime/device/cpu/softmax_columns.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace stretto::runtime;

namespace {

constexpr int64_t stride = 40, queries = 32;
constexpr float scale = 0.5f, unseen = NAN; // what a query does not see may be anything

// Of key and query, in panels whose numbers grow.
float scoreOf(int64_t panel, int64_t key, int64_t query) {
  return static_cast<float>((key * 7 + query * 3) % 11 - 5 + 2 * panel);
}

std::vector<float> panelOf(const ScoreColumns &of, int64_t number) {
  std::vector<float> scores(of.keys * stride, unseen);
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = of.diagonal ? key : 0; query < queries; ++query)
      scores[key * stride + query] = scoreOf(number, key, query);
  return scores;
}

struct State {
  std::vector<float> maximum = std::vector<float>(queries), sum = maximum, shrink = maximum;
  SoftmaxColumns columns() { return {maximum.data(), sum.data(), shrink.data()}; }
};

void expectSoftmax(bool diagonal) {
  const ScoreColumns of{21, queries, stride, diagonal};
  std::vector<float> scores = panelOf(of, 0);
  State state;
  softmaxColumns(of, scores.data(), scale, /*first=*/true, state.columns());
  for (int64_t query = 0; query < queries; ++query) {
    double sum = 0;
    for (int64_t key = 0; key < of.keys; ++key) {
      const bool sees = !diagonal || key <= query;
      const double p = sees ? std::exp(double(scale) * scoreOf(0, key, query) - state.maximum[query]) : 0;
      EXPECT_NEAR(scores[key * stride + query], p, 1e-6) << key << " " << query;
      EXPECT_LE(scores[key * stride + query], 1.000001f);
      sum += p;
    }
    EXPECT_NEAR(state.sum[query], sum, 1e-5) << query;
  }
}

TEST(SoftmaxColumns, AgreesWithLoops) { expectSoftmax(false); }

TEST(SoftmaxColumns, OnTheDiagonalLaterKeysAreNotRead) { expectSoftmax(true); }

TEST(SoftmaxColumns, ResultsShrinkOnlyWhereAMaximumGrows) {
  const ScoreColumns of{16, queries, stride, false};
  std::vector<float> scores = panelOf(of, 0);
  State state;
  softmaxColumns(of, scores.data(), scale, true, state.columns());
  const State before = state;
  scores = panelOf(of, 0);
  EXPECT_FALSE(softmaxColumns(of, scores.data(), scale, false, state.columns()));
  EXPECT_EQ(state.shrink, std::vector<float>(queries, 1));
  scores = panelOf(of, 1);
  EXPECT_TRUE(softmaxColumns(of, scores.data(), scale, false, state.columns()));
  for (int64_t query = 0; query < queries; ++query) {
    EXPECT_FLOAT_EQ(state.maximum[query], before.maximum[query] + 2 * scale);
    EXPECT_NEAR(state.shrink[query], std::exp(-2 * scale), 1e-6);
    EXPECT_NEAR(state.sum[query], before.sum[query] * (1 + 2 * std::exp(-2 * scale)), 1e-4);
  }
}

TEST(SoftmaxColumns, GradientsAgreeWithLoops) {
  for (bool diagonal : {false, true}) {
    const ScoreColumns of{23, queries, stride, diagonal};
    std::vector<float> scores = panelOf(of, 0), dScores = panelOf(of, 1);
    const std::vector<float> lse(queries, 3), delta(queries, 0.25f);
    softmaxGradColumns(of, scores.data(), dScores.data(), scale, lse.data(), delta.data());
    for (int64_t key = 0; key < of.keys; ++key)
      for (int64_t query = 0; query < queries; ++query) {
        const bool sees = !diagonal || key <= query;
        const double p = sees ? std::exp(double(scale) * scoreOf(0, key, query) - 3) : 0;
        EXPECT_NEAR(scores[key * stride + query], p, 1e-6) << key << " " << query;
        EXPECT_NEAR(dScores[key * stride + query], p * (scoreOf(1, key, query) - 0.25) * scale, 1e-5);
      }
  }
}

} // namespace
