// How Lano scores: whole sentences, and the distribution of the next token.
#include "tasks/lano/lano.h"
#include "tasks/lano/next_tokens.h"
#include "tasks/lano/parser.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stretto::tasks {

// The published measure: the sum of p (ln p' - ln q') over the tokens of the model, where p' and q' are p + e and q + e
// with e = 1e-5, each scaled to the sum 1. As p and q have that sum, both are scaled alike, whatever tokens there are:
// the scale cancels, and tokens that the task does not have (p = 0) do not matter.
static double divergence(std::span<const double> p, std::span<const double> logQ) {
  constexpr double e = 1e-5;
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i)
    sum += p[i] * (std::log(p[i] + e) - std::log(std::exp(logQ[i]) + e));
  return sum;
}

namespace {
// Adds up what predictions say about each target.
class TargetScores {
public:
  TargetScores(const runtime::BatchView &batch, const runtime::Predictions &predictions)
      : batch(batch), predictions(predictions), width(predictions.logProbabilities.size() / batch.targets.size()) {}

  // `exact`: the probability of each token at place `at` of the batch.
  void add(size_t at, std::span<const double> exact) {
    const int32_t target = batch.targets[at];
    const double ideal = -std::log(exact[target]);
    if (!predictions.logProbabilities.empty())
      kl.addNumber(divergence(exact, predictions.logProbabilities.subspan(at * width, width)));
    if (!predictions.nll.empty())
      excess.addNumber(predictions.nll[at] - ideal);
    idealNll.addNumber(ideal);
    accuracy.addInstance(predictions.predicted[at] == target);
    idealAccuracy.addNumber(100 * *std::ranges::max_element(exact));
  }

  std::vector<runtime::Score> all() const {
    std::vector<runtime::Score> scores;
    for (const runtime::Score &score : {kl, excess, idealNll, accuracy, idealAccuracy})
      if (score.count)
        scores.push_back(score);
    return scores;
  }

private:
  const runtime::BatchView &batch;
  const runtime::Predictions &predictions;
  size_t width; // tokens whose probabilities are there
  runtime::Score kl = runtime::Score::mean("kl", "nats"), excess = runtime::Score::mean("excess_nll", "nats"),
                 idealNll = runtime::Score::mean("ideal_nll", "nats"),
                 accuracy = runtime::Score::share("token_accuracy"),
                 idealAccuracy = runtime::Score::mean("ideal_token_accuracy", "%");
};
} // namespace

std::vector<runtime::Score> LanoTask::score(uint64_t, uint64_t, const runtime::BatchView &batch,
                                            const runtime::Predictions &predictions) const {
  TargetScores scores(batch, predictions);
  NextTokens next(grammar);
  const size_t length = size_t(batch.length), width = size_t(vocabulary());
  for (size_t row = 0; row < size_t(batch.batch) * length; row += length)
    for (size_t from = row; from < row + length;) {
      const auto inputs = batch.tokens.subspan(from + 1, row + length - from - 1);
      const size_t size = size_t(std::ranges::find(inputs, begin) - inputs.begin());
      const std::vector<double> exact = next.rows(terminalsOf(inputs.subspan(0, size)));
      if (exact.size() != (size + 1) * width)
        throw std::invalid_argument("task 'lano': sequences that are scored must be sentences of the grammar");
      for (size_t i = 0; i <= size; ++i)
        scores.add(from + i, std::span(exact).subspan(i * width, width));
      from += size + 1;
    }
  return scores.all();
}

std::vector<runtime::Prompt> LanoTask::prompts(uint64_t, uint64_t, int64_t count) const {
  const int64_t most = std::min(length(), grammar.longest[grammar.root()] + 1);
  return std::vector<runtime::Prompt>(size_t(count), runtime::Prompt{{begin}, most, begin});
}

std::vector<runtime::Score> LanoTask::judge(uint64_t, uint64_t, int64_t,
                                            std::span<const std::vector<int32_t>> answers) const {
  runtime::Score right = runtime::Score::share("generated/accuracy"),
                 wrongToken = runtime::Score::share("generated/wrong_token"),
                 earlyEnd = runtime::Score::share("generated/early_end"),
                 noEnd = runtime::Score::share("generated/no_end");
  Parser parser(grammar);
  for (const std::vector<int32_t> &answer : answers) {
    const auto end = std::ranges::find(answer, begin);
    const std::vector<int32_t> terminals = terminalsOf({answer.begin(), end});
    const Parser::Verdict verdict = parser.check(terminals);
    const bool viable = verdict.viable == terminals.size(), ends = end != answer.end();
    right.addInstance(verdict.sentence && ends);
    wrongToken.addInstance(!viable);
    earlyEnd.addInstance(viable && ends && !verdict.sentence);
    noEnd.addInstance(viable && !ends);
  }
  return {right, wrongToken, earlyEnd, noEnd};
}

} // namespace stretto::tasks
