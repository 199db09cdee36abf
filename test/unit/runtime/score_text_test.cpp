// Scores as text.
#include "runtime/program/evaluate.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

TEST(ScoreText, theHeadlineHasInstances) {
  EXPECT_EQ(headlineText({Score::share("accuracy/k=4"), Score::share("accuracy/k=2", 3, 8)}), "accuracy/k=2 37.5 %");
  EXPECT_EQ(headlineText({Score::share("accuracy")}), "");
}

TEST(ScoreText, aShareIsInPercent) { EXPECT_EQ(scoreText(Score::share("accuracy", 3, 8)), "accuracy 37.5 %"); }

TEST(ScoreText, aPercentageLooksLikeAShare) {
  EvaluationMetrics metrics;
  metrics.scores = {Score::value("floor", "%", 12.5)};
  EXPECT_EQ(scoreText(metrics.scores[0]), "floor 12.5 %");
  const std::string table = scoreTable(metrics);
  EXPECT_NE(table.find("floor     12.50 % "), table.npos) << table;
  EXPECT_EQ(table.find('%', table.find("12.50 %") + 7), table.npos) << table;
}

TEST(ScoreText, theTableLeavesOutWhatNoInstanceTells) {
  EvaluationMetrics metrics;
  metrics.scores = {Score::share("accuracy", 3, 8), Score::share("accuracy/k=9"), Score::value("floor", "nats", 0.25)};
  const std::string table = scoreTable(metrics);
  EXPECT_NE(table.find("accuracy     37.50 %"), table.npos) << table;
  EXPECT_EQ(table.find("accuracy/k=9"), table.npos) << table;
  EXPECT_NE(table.find("floor"), table.npos) << table;
}
