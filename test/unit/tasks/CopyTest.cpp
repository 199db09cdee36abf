// Copy: its instances and their distribution.
#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

// Every instance: 0, n distinct symbols, 1, the same symbols, which alone count.
TEST(Copy, instancesAreRight) {
  auto task = makeTask("copy", {{"n", "7"}, {"symbols", "12"}, {"length", "50"}});
  EXPECT_EQ(task->vocabulary(), 14);
  Batch batch(*task, 2, Stream::Train, 0, 5000);
  for (int64_t r = 0; r < batch.batch; ++r) {
    std::vector<int32_t> row = batch.row(r);
    for (size_t i = 0; i < row.size(); ++i) {
      size_t place = i % 16;
      ASSERT_EQ(row[i] == 0, place == 0);
      ASSERT_EQ(row[i] == 1, place == 8);
      if (place > 8) {
        ASSERT_EQ(row[i], row[i - 8]);
      }
      if (i > 0) {
        ASSERT_EQ(batch.mask[r * 50 + int64_t(i) - 1], place > 8);
      }
      if (place == 8) {
        ASSERT_EQ(std::set(row.begin() + i - 7, row.begin() + i).size(), 7u);
      }
    }
  }
}

TEST(Copy, permutationsAreUniform) {
  auto task = makeTask("copy", {{"n", "3"}, {"symbols", "4"}, {"length", "7"}});
  Batch batch(*task, 2, Stream::Train, 0, 24000);
  std::map<std::vector<int32_t>, double> counts;
  for (int64_t r = 0; r < batch.batch; ++r)
    ++counts[{batch.tokens.begin() + r * 7 + 1, batch.tokens.begin() + r * 7 + 4}];
  ASSERT_EQ(counts.size(), 24u);
  std::vector<double> observed, expected(24, 1000);
  for (const auto &[order, count] : counts)
    observed.push_back(count);
  EXPECT_LT(chiSquare(observed, expected), 23 + 4.4 * std::sqrt(23) + 6);
}

TEST(Copy, wholeCopiesAreScored) {
  auto task = makeTask("copy", {{"n", "4"}, {"symbols", "4"}, {"length", "24"}});
  Batch batch(*task, 2, Stream::Evaluation, 0, 3);
  std::vector<int32_t> predicted = batch.targets;
  // Rows of 25 tokens hold two copies of 4 and a third cut one; copies start at tokens 6 and 16.
  predicted[0 * 24 + 5] += 1;  // first token of the first copy
  predicted[1 * 24 + 18] += 1; // last token of the second copy
  predicted[2 * 24 + 4] += 1;  // the query, no answer
  std::vector<Score> scores = task->score(2, 0, batch.view(), {predicted, {}});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].name, "accuracy");
  EXPECT_EQ(scores[0].right(), 4);
  EXPECT_EQ(scores[0].count, 6);
  EXPECT_EQ(scores[1].name, "token_accuracy");
  EXPECT_EQ(scores[1].right(), 22);
  EXPECT_EQ(scores[1].count, 24);
}
