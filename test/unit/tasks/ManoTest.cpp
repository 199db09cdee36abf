// Mano against a reader and a solver of its own, in the published numbering, and against closed forms. Fixed seeds;
// each chi-square test would fail for one fair generator of 1000 (Fair.h).
#include "tasks/mano/mano.h"
#include "Fair.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {
struct Expression {
  int64_t operators = 0;
  std::vector<int32_t> tokens; // of the expression alone
  int64_t value = 0;           // as the instance says
};
} // namespace

static std::vector<int32_t> publishedRow(const Task &task, const Batch &batch, int64_t r) {
  std::vector<int32_t> row = batch.row(r), ids = publishedIds(task);
  for (int32_t &token : row)
    token = ids[token];
  return row;
}

// The whole instances of a row.
static std::vector<Expression> readMano(const std::vector<int32_t> &row) {
  std::vector<Expression> all;
  for (size_t at = 0; at + 1 < row.size();) {
    EXPECT_TRUE(row[at] == 9999 || row[at] == 9998);
    Expression expression{row[at + 1] / 10, {}, 0};
    EXPECT_LE(row[at + 1] % 10, 1);
    const size_t size = size_t(2 * expression.operators + 1);
    if (at + size + 4 > row.size())
      break;
    expression.tokens.assign(row.begin() + int64_t(at) + 2, row.begin() + int64_t(at + 2 + size));
    EXPECT_EQ(row[at + size + 2] / 10, expression.operators);
    EXPECT_TRUE(row[at + size + 2] % 10 == 4 || row[at + size + 2] % 10 == 5);
    expression.value = row[at + size + 3] - 5000;
    all.push_back(expression);
    at += size + 4;
  }
  return all;
}

// Prefix form from its end, with a stack.
static int64_t solve(const Expression &expression, int64_t modulus) {
  std::vector<int64_t> stack;
  for (size_t i = expression.tokens.size(); i-- > 0;) {
    const int32_t token = expression.tokens[i];
    if (token >= 5000) {
      stack.push_back(token - 5000);
      continue;
    }
    const int64_t left = stack.at(stack.size() - 1), right = stack.at(stack.size() - 2);
    stack.pop_back();
    const int32_t op = (token - 1) % 4;
    EXPECT_TRUE(token >= 1 && token <= 7 && op < 3) << token;
    stack.back() = ((op == 0 ? left + right : op == 1 ? left - right : left * right) % modulus + modulus) % modulus;
  }
  EXPECT_EQ(stack.size(), 1u);
  return stack.at(0);
}

static std::vector<Expression> draw(const Task &task, Stream stream, int64_t rows) {
  std::vector<Expression> all;
  for (int64_t r = 0; r < rows; ++r) {
    auto some = readMano(publishedRow(task, Batch(task, 5, stream, uint64_t(r), 1), 0));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(Mano, valuesAreRight) {
  for (const char *doubled : {"yes", "no"})
    for (const char *modulus : {"23", "2", "199"}) {
      auto task = makeTask("mano", {{"l", "16"}, {"doubled", doubled}, {"modulus", modulus}});
      for (Stream stream : {Stream::Train, Stream::Evaluation})
        for (const Expression &expression : draw(*task, stream, 100)) {
          ASSERT_EQ(solve(expression, std::stoll(modulus)), expression.value);
          ASSERT_LE(expression.operators, 16);
          ASSERT_TRUE(stream == Stream::Train || expression.operators == 16);
        }
    }
}

TEST(Mano, everyTokenCounts) {
  auto task = makeTask("mano", {});
  Batch batch(*task, 5, Stream::Train, 0, 3);
  EXPECT_EQ(std::ranges::count(batch.mask, 1), int64_t(batch.mask.size()));
}

TEST(Mano, idsAndVocabulary) {
  auto plain = makeTask("mano", {{"l", "2"}, {"modulus", "3"}, {"doubled", "no"}});
  EXPECT_EQ(publishedIds(*plain), (std::vector<int32_t>{9999, 1, 2, 3, 10, 20, 14, 24, 5000, 5001, 5002}));
  EXPECT_EQ(plain->vocabulary(), 11);
  auto doubled = makeTask("mano", {{"l", "2"}, {"modulus", "3"}});
  EXPECT_EQ(publishedIds(*doubled),
            (std::vector<int32_t>{9999, 9998, 1, 5, 2, 6, 3, 7, 10, 11, 20, 21, 14, 15, 24, 25, 5000, 5001, 5002}));
  EXPECT_EQ(doubled->vocabulary(), 19);
}

// Instances start at either form of <begin>.
TEST(Mano, documentsStartAtBegin) {
  auto task = makeTask("mano", {});
  Batch batch(*task, 5, Stream::Train, 0, 4);
  for (size_t i = 0; i < batch.tokens.size(); ++i)
    ASSERT_EQ(batch.positions[i], batch.tokens[i] < 2 ? 0 : batch.positions[i - 1] + 1);
}

TEST(ManoDistribution, lengths) {
  auto task = makeTask("mano", {{"l", "6"}, {"length", "16"}});
  std::map<int64_t, double> counts;
  for (int64_t r = 0; r < 20000; ++r) // the first of a row alone: the end of the row prefers short ones
    ++counts[readMano(publishedRow(*task, Batch(*task, 5, Stream::Train, uint64_t(r), 1), 0))[0].operators];
  expectFair(counts, equalWeights<int64_t>(1, 6));
}

TEST(ManoDistribution, operatorsAndNumbers) {
  for (bool doubled : {true, false}) {
    auto task = makeTask("mano", {{"doubled", doubled ? "yes" : "no"}});
    std::map<int32_t, double> operators, numbers;
    for (const Expression &expression : draw(*task, Stream::Evaluation, 500))
      for (int32_t token : expression.tokens)
        ++(token < 5000 ? operators : numbers)[token];
    expectFair<int32_t>(operators, doubled ? std::map<int32_t, double>{{1, 1}, {2, 1}, {3, 1}, {5, 1}, {6, 1}, {7, 1}}
                                           : std::map<int32_t, double>{{1, 1}, {2, 1}, {3, 1}});
    expectFair(numbers, equalWeights<int32_t>(5000, 5022));
  }
}

// Both forms of every doubled token, everywhere it stands.
TEST(ManoDistribution, doubledIds) {
  auto task = makeTask("mano", {{"l", "1"}, {"length", "8"}});
  std::map<std::vector<int32_t>, double> counts, weights;
  for (int64_t r = 0; r < 8000; ++r) {
    const std::vector<int32_t> row = publishedRow(*task, Batch(*task, 5, Stream::Train, uint64_t(r), 1), 0);
    ++counts[{row[0], row[1], row[5]}];
  }
  for (int32_t begin : {9998, 9999})
    for (int32_t length : {10, 11})
      for (int32_t answer : {14, 15})
        weights[{begin, length, answer}] = 1;
  expectFair(counts, weights);
}

// How many of the other operators are in the left operand.
TEST(ManoDistribution, leftSizes) {
  auto task = makeTask("mano", {{"l", "5"}});
  std::map<int64_t, double> counts;
  for (const Expression &expression : draw(*task, Stream::Evaluation, 300)) {
    int64_t open = 1, operators = 0; // operands that the left side still lacks
    for (size_t i = 1; open > 0; ++i) {
      const bool isOperator = expression.tokens[i] < 5000;
      operators += isOperator;
      open += isOperator ? 1 : -1;
    }
    ++counts[operators];
  }
  expectFair(counts, equalWeights<int64_t>(0, 4));
}

// The distribution of values: against all expressions with two operators modulo 3, and against samples.
TEST(ManoDistribution, values) {
  const auto infos = ManoTask::parameterInfos();
  ManoTask small(Parameters("mano", infos, {{"l", "2"}, {"modulus", "3"}}));
  auto apply = [](int op, int a, int b) { return (op == 0 ? a + b : op == 1 ? a - b + 3 : a * b) % 3; };
  std::vector<double> expected(3, 0);
  for (int i = 0; i < 9 * 27; ++i) {
    const int first = i % 3, second = i / 3 % 3, a = i / 9 % 3, b = i / 27 % 3, c = i / 81;
    expected[size_t(apply(first, apply(second, a, b), c))] += 1.0 / (2 * 243);
    expected[size_t(apply(first, a, apply(second, b, c)))] += 1.0 / (2 * 243);
  }
  for (size_t value = 0; value < 3; ++value)
    EXPECT_NEAR(small.valueDistribution(2)[value], expected[value], 1e-12);

  ManoTask task(Parameters("mano", infos, {}));
  const std::vector<double> chances = task.valueDistribution(10);
  std::map<int64_t, double> counts, weights;
  for (const Expression &expression : draw(task, Stream::Evaluation, 1500))
    ++counts[expression.value];
  for (int64_t value = 0; value < 23; ++value)
    weights[value] = chances[size_t(value)];
  expectFair(counts, weights);
}

TEST(ManoScore, eachLengthHasAScore) {
  auto task = makeTask("mano", {{"l", "3"}, {"l_evaluation", "-1"}, {"doubled", "no"}, {"length", "64"}});
  const int32_t answerOfTwo = 8; // begin, three operators, <length 1> .. <length 3>, <answer 1>, <answer 2>
  Batch batch(*task, 5, Stream::Evaluation, 0, 50);
  std::vector<int32_t> predicted = batch.targets;
  for (size_t t = 0; t < predicted.size(); ++t)
    if (batch.tokens[t] == answerOfTwo)
      predicted[t] = 0;
  const std::vector<Score> scores = task->score(5, 0, batch.view(), {predicted, {}});
  ASSERT_EQ(scores.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scores[i].name, "accuracy/l=" + std::to_string(3 - i));
    EXPECT_GT(scores[i].count, 30);
    EXPECT_EQ(scores[i].result(), i == 1 ? 0 : 1);
  }
}

// Always answering 0 scores the floor, which lies where it was measured.
TEST(ManoScore, floorOfTheTrivialGuesser) {
  for (const char *l : {"10", "13", "16"}) {
    auto task = makeTask("mano", {{"l", l}, {"doubled", "no"}});
    const double floor = task->conclude({}, 0).at(0).result() / 100;
    EXPECT_GT(floor, 0.069) << l;
    EXPECT_LT(floor, 0.0755) << l;
    Batch batch(*task, 5, Stream::Evaluation, 0, 600);
    const std::vector<int32_t> zeros(batch.tokens.size(), int32_t(task->vocabulary()) - 23);
    const Score score = task->score(5, 0, batch.view(), {zeros, {}})[0];
    EXPECT_EQ(score.name, "accuracy");
    // Five standard errors: wrong for fewer than one of a million seeds.
    EXPECT_NEAR(score.result(), floor, 5 * std::sqrt(floor * (1 - floor) / double(score.count))) << l;
  }
}

// The value of every whole instance of a row counts, and nothing else.
TEST(ManoScore, allInstancesOfARow) {
  auto task = makeTask("mano", {{"l", "10"}});
  const int64_t rows = 20;
  Batch batch(*task, 5, Stream::Evaluation, 0, rows);
  std::vector<int32_t> predicted(batch.targets.size(), -1);
  int64_t instances = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t at = 24; at <= batch.length; at += 25, ++instances)
      predicted[r * batch.length + at - 1] = batch.targets[r * batch.length + at - 1];
  Score score = task->score(5, 0, batch.view(), {predicted, {}})[0];
  EXPECT_EQ(score.count, rows * 41);
  EXPECT_EQ(score.count, instances);
  EXPECT_EQ(score.right(), instances);
  predicted[24 + 25 - 1] ^= 1;
  EXPECT_EQ(task->score(5, 0, batch.view(), {predicted, {}})[0].right(), instances - 1);
  std::vector<Prompt> prompts = task->prompts(5, 0, rows);
  ASSERT_EQ(int64_t(prompts.size()), rows);
  for (const Prompt &prompt : prompts) {
    EXPECT_EQ(prompt.tokens.size(), 24u);
    EXPECT_EQ(prompt.most, 1);
  }
}

TEST(Mano, evaluationAtAnotherLength) {
  auto task = makeTask("mano", {{"l", "10"}, {"l_evaluation", "4"}});
  for (const Expression &expression : draw(*task, Stream::Evaluation, 5))
    EXPECT_EQ(expression.operators, 4);
  EXPECT_EQ(task->vocabulary(), makeTask("mano", {})->vocabulary());
  EXPECT_LT(task->conclude({}, 0).at(0).result(), 8);
}

TEST(Mano, textSaysWhatTheTokensSay) {
  auto task = makeTask("mano", {{"l", "2"}, {"length", "26"}});
  Batch batch(*task, 5, Stream::Evaluation, 3, 1);
  const std::string text = task->describe(batch.view(), 0);
  const Expression first = readMano(publishedRow(*task, batch, 0))[0];
  std::vector<std::string> t;
  for (int32_t token : first.tokens)
    t.push_back(token >= 5000 ? std::to_string(token - 5000) : std::string(1, "+-*"[(token - 1) % 4]));
  auto join = [](const std::string &op, const std::string &left, const std::string &right) {
    std::string joined = "(";
    return joined.append(left).append(" ").append(op).append(" ").append(right).append(")");
  };
  const std::string inner =
      first.tokens[1] < 5000 ? join(t[0], join(t[1], t[2], t[3]), t[4]) : join(t[0], t[1], join(t[2], t[3], t[4]));
  EXPECT_TRUE(text.starts_with("  2 operators: " + inner + " = " + std::to_string(first.value) + "\n")) << text;
}

TEST(Mano, parametersMustGoTogether) {
  EXPECT_EQ(errorOf([] { makeTask("mano", {{"length", "23"}}); }),
            "task 'mano': parameter 'length' must be at least 24 for the longest possible instance, of 25 tokens, to "
            "fit, but got 23");
  EXPECT_EQ(errorOf([] { makeTask("mano", {{"length", "24"}}); }), "");
  EXPECT_EQ(errorOf([] { makeTask("mano", {{"l_evaluation", "11"}}); }),
            "task 'mano': parameter 'l_evaluation' must be at most l=10, but got 11");
}
