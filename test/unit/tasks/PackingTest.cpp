// Packing of instances into sequences: the same stream from any threads.
#include "DepoReader.h"

#include <thread>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

// The same rows from one thread at once, and from several threads in pieces and out of order.
TEST(Packing, sameStreamFromAnyThreads) {
  for (const char *name : {"brevo1", "brevo2", "copy", "depo1", "depo2", "mano"}) {
    auto task = makeTask(name, {});
    const int64_t rows = 24;
    for (Stream stream : {Stream::Train, Stream::Evaluation}) {
      Batch whole(*task, 9, stream, 100, rows), pieces(rows, task->length());
      std::vector<std::thread> threads;
      for (int64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          for (int64_t r = rows - 1 - t; r >= 0; r -= 4)
            task->fill(9, stream, 100 + uint64_t(r), pieces.rows(r, r + 1));
        });
      for (std::thread &thread : threads)
        thread.join();
      EXPECT_EQ(whole.tokens, pieces.tokens);
      EXPECT_EQ(whole.targets, pieces.targets);
      EXPECT_EQ(whole.mask, pieces.mask);
    }
  }
}

// Pins the stream: runs that were started with one build must go on with the next.
TEST(Packing, streamsDoNotChange) {
  auto digest = [](const char *name) {
    auto task = makeTask(name, {});
    Batch batch(*task, 1, Stream::Train, 0, 4);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (int32_t token : batch.tokens)
      hash = (hash ^ uint64_t(token)) * 1099511628211u;
    return hash;
  };
  EXPECT_EQ(digest("brevo1"), 8948409308371890794u);
  EXPECT_EQ(digest("brevo2"), 7611644956078387265u);
  EXPECT_EQ(digest("mano"), 16054071407905346823u);
  EXPECT_EQ(digest("copy"), 16335272602846589008u);
  EXPECT_EQ(digest("depo1"), 2960762080877708894u);
  EXPECT_EQ(digest("depo2"), 5335550848494516704u);
}

TEST(Packing, seedsAndStreamsDiffer) {
  auto task = makeTask("depo1", {{"n", "8"}, {"length", "96"}});
  Batch base(*task, 1, Stream::Train, 0, 1);
  EXPECT_NE(base.tokens, Batch(*task, 2, Stream::Train, 0, 1).tokens);
  EXPECT_NE(base.tokens, Batch(*task, 1, Stream::Train, 1, 1).tokens);
  auto fixedSize = makeTask("copy", {{"n", "20"}, {"symbols", "20"}, {"length", "64"}});
  EXPECT_NE(Batch(*fixedSize, 1, Stream::Train, 0, 1).tokens, Batch(*fixedSize, 1, Stream::Evaluation, 0, 1).tokens);
}

TEST(Packing, targetsAreTheTokensShifted) {
  auto task = makeTask("depo2", {});
  Batch batch(*task, 1, Stream::Train, 0, 3);
  for (int64_t i = 0; i < 3 * batch.length; ++i) {
    if ((i + 1) % batch.length) {
      ASSERT_EQ(batch.targets[i], batch.tokens[i + 1]);
    }
  }
}

// Counts right answers by reading the rows back.
static std::map<std::string, std::pair<int64_t, int64_t>> bruteForce(const Task &task, const Batch &batch,
                                                                     const std::vector<int32_t> &predicted) {
  std::map<std::string, std::pair<int64_t, int64_t>> scores;
  for (int64_t r = 0; r < batch.batch; ++r)
    for (const DepoInstance &instance : readDepo(task, batch, r))
      for (const Question &question : instance.questions) {
        if (!question.whole)
          continue;
        bool all = true;
        for (size_t i = 0; i < question.answer.size(); ++i) {
          int64_t at = r * batch.length + question.answerAt - 1 + int64_t(i);
          bool right = predicted[at] == batch.targets[at];
          all &= right;
          scores["token_accuracy"].first += right;
          scores["token_accuracy"].second += 1;
        }
        auto &[right, total] = scores["accuracy/k=" + std::to_string(question.steps)];
        right += all;
        total += 1;
      }
  return scores;
}

TEST(Packing, scoresAgreeWithBruteForce) {
  for (const char *name : {"depo1", "depo2"}) {
    auto task = makeTask(name, {{"n", "9"}, {"k", "6"}, {"length", "300"}});
    Batch batch(*task, 4, Stream::Evaluation, 1000, 20);
    std::vector<int32_t> predicted = batch.targets;
    Random noise(1, 9, 0);
    for (int32_t &token : predicted)
      if (noise.below(6) == 0)
        token = int32_t(noise.below(task->vocabulary()));
    auto expected = bruteForce(*task, batch, predicted);
    std::vector<Score> scores = task->score(4, 1000, batch.view(), {predicted, {}});
    EXPECT_EQ(scores[0].name, "accuracy/k=6") << "the headline";
    EXPECT_EQ(scores.size(), expected.size());
    for (const Score &score : scores) {
      EXPECT_EQ(score.right(), expected[score.name].first) << score.name;
      EXPECT_EQ(score.count, expected[score.name].second) << score.name;
      EXPECT_GT(score.right(), 0);
      EXPECT_LT(score.right(), score.count);
    }
  }
}

TEST(Packing, batchesOfAnotherShapeAreRefused) {
  auto task = makeTask("depo1", {{"n", "8"}, {"length", "96"}});
  Batch batch(2, 64);
  EXPECT_THROW(task->fill(0, Stream::Train, 0, batch.view()), std::invalid_argument);
}

// Documents start at <begin>, at the start of a row, and nowhere else.
TEST(Packing, positionsCountFromTheStartOfAnInstance) {
  auto task = makeTask("depo1", {{"n", "8"}, {"length", "96"}});
  Batch batch(*task, 1, Stream::Train, 0, 5);
  for (int64_t i = 0; i < 5 * 96; ++i)
    ASSERT_EQ(batch.positions[i], batch.tokens[i] == 0 ? 0 : batch.positions[i - 1] + 1);
  EXPECT_GT(std::ranges::count(batch.positions, 0), 5);
}

// A model that reads the answers is right everywhere; one that gets some wrong, is wrong there alone.
TEST(Packing, generatedAnswersAreJudged) {
  auto task = makeTask("depo1", {{"n", "9"}, {"k", "4"}, {"length", "100"}});
  const int64_t rows = 9;
  Batch batch(*task, 3, Stream::Evaluation, 50, rows);
  std::vector<Prompt> prompts = task->prompts(3, 50, rows);
  std::vector<std::vector<int32_t>> answers;
  int64_t r = 0, at = 0;
  for (const Prompt &prompt : prompts) {
    if (int64_t(prompt.tokens.size()) <= at)
      ++r;
    at = int64_t(prompt.tokens.size());
    std::vector<int32_t> row = batch.row(r);
    ASSERT_TRUE(std::equal(prompt.tokens.begin(), prompt.tokens.end(), row.begin()));
    ASSERT_LE(at + prompt.most, task->length() + 1);
    ASSERT_EQ(std::count(prompt.tokens.begin(), prompt.tokens.end(), 0), 1) << "of the first instance";
    answers.push_back({row.begin() + at, row.begin() + at + prompt.most});
  }
  auto rights = [&](const std::vector<Score> &scores) {
    int64_t right = 0, total = 0;
    for (const Score &score : scores)
      right += score.right(), total += score.count;
    return std::pair(right, total);
  };
  const int64_t count = int64_t(prompts.size());
  ASSERT_GT(count, 20);
  EXPECT_EQ(rights(task->judge(3, 50, rows, answers)), std::pair(count, count));
  answers[4].back() ^= 1;
  answers[7].pop_back();
  answers[9].push_back(1);
  std::vector<Score> scores = task->judge(3, 50, rows, answers);
  EXPECT_EQ(scores[0].name, "generated/accuracy/k=4");
  EXPECT_EQ(rights(scores), std::pair(count - 3, count));
}

// Tokens of the shortest document with another one behind it, in rows of both streams.
static int64_t shortestFound(const Task &task) {
  int64_t shortest = INT64_MAX;
  for (Stream stream : {Stream::Train, Stream::Evaluation})
    for (int64_t r = 0; r < 200; ++r) {
      const Batch row(task, 3, stream, uint64_t(r), 1);
      for (int64_t t = 1; t < row.length; ++t)
        if (row.positions[t] == 0)
          shortest = std::min<int64_t>(shortest, row.positions[t - 1] + 1);
    }
  return shortest;
}

TEST(Documents, noneIsShorterThanItsTaskSays) {
  const std::map<std::string, std::map<std::string, std::string>> small = {
      {"brevo1", {{"n", "5"}, {"length", "100"}}},
      {"brevo2", {{"n", "4"}, {"r_min", "1"}, {"r_max", "2"}, {"length", "100"}}},
      {"copy", {{"n", "3"}}},
      {"depo1", {{"n", "5"}, {"length", "100"}}},
      {"depo2", {{"n", "4"}, {"queries", "1"}, {"r_min", "1"}, {"r_max", "2"}, {"length", "200"}}},
      {"lano", {{"grammar", "small"}}},
      {"mano", {}}};
  for (const auto &[name, settings] : small) {
    const std::unique_ptr<Task> task = makeTask(name, settings);
    EXPECT_EQ(shortestFound(*task), task->shortestDocument()) << name;
  }
  // The shortest of these are rare.
  for (const char *name : {"brevo1", "brevo2", "capo", "depo1", "depo2", "hops", "lano"}) {
    const std::unique_ptr<Task> task = makeTask(name, {});
    EXPECT_GE(shortestFound(*task), task->shortestDocument()) << name;
    EXPECT_GE(task->shortestDocument(), 9) << name;
  }
}
