// The scores of Capo: negative log-likelihoods of facts, and the bits that follow from them.
#include "tasks/capo/capo.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stretto::tasks {

static std::string accuracyOf(size_t fact) { return std::string("accuracy/") + factNames[fact]; }
static std::string nllOf(size_t fact) { return std::string("nll/") + factNames[fact]; }

namespace {
// What a model said about the facts of one person.
struct PersonScore {
  std::array<double, factCount> nll{};
  std::array<bool, factCount> told{}, right;
  PersonScore() { right.fill(true); }
};
} // namespace

// Whether a biography opens between a fact and the one behind it.
static bool isOfNextPerson(const Row &row, const Answer &fact, const Answer &next) {
  auto between = std::span(row.tokens).subspan(fact.end, next.begin - fact.end);
  return std::ranges::find(between, Biographies::begin) != between.end();
}

std::vector<runtime::Score> CapoTask::score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                            const runtime::Predictions &predictions) const {
  checkShape(*this, batch, predictions.predicted.size());
  checkShape(*this, batch, predictions.nll.size());
  runtime::Score all = runtime::Score::mean("nll", "nats"), values = runtime::Score::mean("nll/values", "nats");
  std::vector<runtime::Score> nll, right;
  for (size_t fact = 0; fact < factCount; ++fact) {
    nll.push_back(runtime::Score::mean(nllOf(fact), "nats"));
    right.push_back(runtime::Score::share(accuracyOf(fact)));
  }
  auto add = [&](const PersonScore &person) {
    double sum = 0;
    for (size_t fact = 0; fact < factCount; ++fact) {
      if (!person.told[fact]) { // a pronoun that no sentence has: nothing shows that the model knows it
        sum += bits[fact] * std::numbers::ln2;
        continue;
      }
      nll[fact].addNumber(person.nll[fact]);
      right[fact].addInstance(person.right[fact]);
      sum += person.nll[fact];
    }
    all.addNumber(sum);
    values.addNumber(sum - person.nll[size_t(Fact::Name)]);
  };
  for (int64_t r = 0; r < batch.batch; ++r) {
    Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    PersonScore person;
    for (size_t i = 0; i < row.answers.size(); ++i) {
      const Answer &answer = row.answers[i];
      person.told[answer.group] = true;
      // Token t of a row is the target at position t-1.
      for (int64_t t = r * rowLength + answer.begin - 1; t < r * rowLength + answer.end - 1; ++t) {
        person.nll[answer.group] += predictions.nll[t];
        person.right[answer.group] &= predictions.predicted[t] == batch.targets[t];
      }
      if (i + 1 == row.answers.size() || isOfNextPerson(row, answer, row.answers[i + 1])) {
        add(person);
        person = {};
      }
    }
  }
  std::vector<runtime::Score> scores = {all, values};
  std::ranges::move(nll, std::back_inserter(scores));
  std::ranges::move(right, std::back_inserter(scores));
  return scores;
}

// The mean of offset + factor * number over the numbers of a mean.
static runtime::Score linear(const runtime::Score &score, std::string name, std::string unit, double offset,
                             double factor) {
  runtime::Score result = runtime::Score::mean(std::move(name), std::move(unit));
  const double count = double(score.count);
  result.count = score.count;
  result.sum = offset * count + factor * score.sum;
  result.squares = offset * offset * count + 2 * offset * factor * score.sum + factor * factor * score.squares;
  return result;
}

std::vector<runtime::Score> CapoTask::conclude(std::vector<runtime::Score> totals, int64_t weights) const {
  auto find = [&](const std::string &name) { return std::ranges::find(totals, name, &runtime::Score::name); };
  auto all = find("nll");
  if (all == totals.end() || all->count == 0)
    return totals;
  const double n = double(number), perNat = -1 / std::numbers::ln2;
  double personBits = 0;
  for (double fact : bits)
    personBits += fact;
  const double most = n * (personBits - std::log2(n));
  std::vector<runtime::Score> result;
  if (weights > 0) {
    const double perWeight = n / double(weights);
    result.push_back(linear(*all, "bits_per_parameter", "bits/parameter", personBits * perWeight, perNat * perWeight));
    result.push_back(runtime::Score::value("most_bits_per_parameter", "bits/parameter", most / double(weights)));
  }
  result.push_back(linear(*all, "bits", "bits", personBits * n, perNat * n));
  result.push_back(runtime::Score::value("most_bits", "bits", most));
  for (size_t fact = 0; fact < factCount; ++fact)
    if (auto nll = find(nllOf(fact)); nll != totals.end())
      result.push_back(linear(*nll, std::string("bits/") + factNames[fact], "bits/person", bits[fact], perNat));
  std::ranges::move(totals, std::back_inserter(result));
  return result;
}

} // namespace stretto::tasks
