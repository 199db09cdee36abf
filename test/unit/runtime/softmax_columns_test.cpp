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

bool sees(const ScoreColumns &of, int64_t query, int64_t key) {
  return of.first + query <= key && key <= of.last + query;
}

std::vector<float> panelOf(const ScoreColumns &of, int64_t number) {
  std::vector<float> scores(of.keys * stride, unseen);
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = 0; query < queries; ++query)
      if (sees(of, query, key))
        scores[key * stride + query] = scoreOf(number, key, query);
  return scores;
}

// Keys that all see, those on the diagonal, and windows of which some lie before all queries, or behind them.
constexpr ScoreColumns panels[] = {{21, queries, stride, -queries, 21}, {21, queries, stride, -queries, 0},
                                   {23, queries, stride, -5, 0},        {23, queries, stride, 0, 0},
                                   {40, queries, stride, 3, 40},        {40, queries, stride, -20, 40},
                                   {9, queries, stride, 2, 9}};

struct State {
  std::vector<float> maximum = std::vector<float>(queries), sum = maximum, shrink = maximum;
  SoftmaxColumns columns() { return {maximum.data(), sum.data(), shrink.data()}; }
};

void expectSoftmax(const ScoreColumns &of) {
  std::vector<float> scores = panelOf(of, 0);
  State state;
  softmaxColumns(of, scores.data(), scale, /*first=*/true, state.columns());
  for (int64_t query = 0; query < queries; ++query) {
    double sum = 0;
    for (int64_t key = 0; key < of.keys; ++key) {
      const double p =
          sees(of, query, key) ? std::exp(double(scale) * scoreOf(0, key, query) - state.maximum[query]) : 0;
      EXPECT_NEAR(scores[key * stride + query], p, 1e-6) << key << " " << query;
      EXPECT_LE(scores[key * stride + query], 1.000001f);
      sum += p;
    }
    EXPECT_NEAR(state.sum[query], sum, 1e-5) << query;
  }
}

TEST(SoftmaxColumns, AgreesWithLoops) {
  for (const ScoreColumns &of : panels)
    expectSoftmax(of);
}

// The first keys may be hidden from some queries, which then begin with those that follow.
TEST(SoftmaxColumns, AQueryMayBeginLater) {
  const ScoreColumns none{9, queries, stride, 9, 9}, all{9, queries, stride, -queries, 9};
  std::vector<float> scores = panelOf(none, 0);
  State late, first;
  EXPECT_FALSE(softmaxColumns(none, scores.data(), scale, true, late.columns()));
  for (int64_t key = 0; key < none.keys; ++key)
    for (int64_t query = 0; query < queries; ++query)
      EXPECT_EQ(scores[key * stride + query], 0);
  scores = panelOf(all, 1);
  softmaxColumns(all, scores.data(), scale, false, late.columns());
  scores = panelOf(all, 1);
  softmaxColumns(all, scores.data(), scale, true, first.columns());
  EXPECT_EQ(late.maximum, first.maximum);
  EXPECT_EQ(late.sum, first.sum);
}

TEST(SoftmaxColumns, ResultsShrinkOnlyWhereAMaximumGrows) {
  const ScoreColumns of{16, queries, stride, -queries, 16};
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
  for (const ScoreColumns &of : panels) {
    std::vector<float> scores = panelOf(of, 0), dScores = panelOf(of, 1);
    const std::vector<float> lse(queries, 3), delta(queries, 0.25f);
    softmaxGradColumns(of, scores.data(), dScores.data(), scale, lse.data(), delta.data());
    for (int64_t key = 0; key < of.keys; ++key)
      for (int64_t query = 0; query < queries; ++query) {
        const double p = sees(of, query, key) ? std::exp(double(scale) * scoreOf(0, key, query) - 3) : 0;
        EXPECT_NEAR(scores[key * stride + query], p, 1e-6) << key << " " << query;
        EXPECT_NEAR(dScores[key * stride + query], p * (scoreOf(1, key, query) - 0.25) * scale, 1e-5);
      }
  }
}

} // namespace
