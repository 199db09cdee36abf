#include "tasks/depo/depo.h"

#include <algorithm>
#include <numeric>

namespace stretto {

// The published numbering: queries are 9000+k, so that letters lie below and <answer> above them.
static constexpr int32_t publishedBegin = 9999, publishedAnswer = 9500, publishedQuery = 9000;

static std::vector<ParameterInfo> makeInfos(int64_t n, int64_t k, int64_t v, int64_t rMin, int64_t rMax) {
  return {
      {"n", n, 3, 1 << 20, "most nodes of a cycle; the size of every cycle in the evaluation"},
      {"k", k, 1, publishedAnswer - publishedQuery - 1, "most steps asked for"},
      {"v", v, 1, publishedQuery / 2, "letters of the alphabet names are written in"},
      {"r_min", rMin, 1, 32, "fewest letters of a name"},
      {"r_max", rMax, 1, 32, "most letters of a name"},
      {"queries", 10, 1, 1 << 20, "most queries of an instance, each on a node of its own"},
      {"length", 2048, 1, 1 << 24, "tokens in a row"},
  };
}

const std::vector<ParameterInfo> &DepoTask::parameterInfos1() {
  static const std::vector<ParameterInfo> infos = makeInfos(225, 8, 50, 1, 2);
  return infos;
}

const std::vector<ParameterInfo> &DepoTask::parameterInfos2() {
  static const std::vector<ParameterInfo> infos = makeInfos(75, 16, 3, 5, 7);
  return infos;
}

static Words makeWords(const Parameters &values) {
  int64_t v = values["v"], rMin = values["r_min"], rMax = values["r_max"];
  if (rMax < rMin)
    values.fail("parameter 'r_max' must be at least r_min=" + std::to_string(rMin) + ", but got " +
                std::to_string(rMax));
  if (!Words::fits(v, rMax))
    values.fail("parameters must keep v^r_max below 2^62, but got v=" + std::to_string(v) +
                ", r_max=" + std::to_string(rMax));
  Words words(v, rMin, rMax);
  if (words.count() < uint64_t(values["n"]))
    values.fail("parameter 'n' must be at most " + std::to_string(words.count()) +
                ", the number of names that v, r_min and r_max allow, but got " + std::to_string(values["n"]));
  return words;
}

static int64_t longestInstance(const Parameters &values) {
  int64_t letters = values["r_max"], n = values["n"];
  return 1 + 2 * n * letters + std::min(values["queries"], n) * (2 + 2 * letters);
}

static std::vector<int64_t> evaluationHops(int64_t k) {
  std::vector<int64_t> hops;
  for (int64_t power = 1; power < k; power *= 2)
    hops.push_back(power);
  hops.push_back(k);
  std::reverse(hops.begin(), hops.end());
  return hops;
}

DepoTask::DepoTask(Parameters values)
    : PackedTask(values, longestInstance(values)), n(parameters["n"]), k(parameters["k"]), v(parameters["v"]),
      queries(parameters["queries"]), firstInner(int32_t(answer + 1 + k)),
      firstLast(int32_t(firstInner + (parameters["r_max"] > 1 ? v : 0))), words(makeWords(parameters)),
      sizes(3, n), hops(evaluationHops(k)) {}

std::vector<std::string> DepoTask::groups() const {
  std::vector<std::string> names;
  for (int64_t steps : hops)
    names.push_back("accuracy/k=" + std::to_string(steps));
  return names;
}

std::vector<int32_t> DepoTask::publishedIds() const {
  std::vector<int32_t> ids(vocabulary());
  ids[begin] = publishedBegin;
  ids[answer] = publishedAnswer;
  for (int32_t steps = 1; steps <= k; ++steps)
    ids[answer + steps] = publishedQuery + steps;
  std::iota(ids.begin() + firstInner, ids.begin() + firstLast, 1);
  std::iota(ids.begin() + firstLast, ids.end(), int32_t(v) + 1);
  return ids;
}

void DepoTask::addWord(uint64_t word, Row &row, bool counts) const {
  size_t from = row.tokens.size();
  words.letters(word, row.tokens);
  for (size_t i = from; i < row.tokens.size(); ++i)
    row.tokens[i] += i + 1 < row.tokens.size() ? firstInner : firstLast;
  row.counted.resize(row.tokens.size(), counts);
}

void DepoTask::append(Random &random, Stream stream, Row &row) const {
  bool training = stream == Stream::Train;
  int64_t nodes = training ? sizes.draw(random) : n;
  // The cycle visits the names in this order. Drawing favours short names at the front, hence the shuffle.
  std::vector<uint64_t> cycle = words.draw(random, nodes);
  random.shuffle(std::span(cycle));
  std::vector<uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));

  row.add(begin);
  for (uint32_t from : order) {
    addWord(cycle[from], row, false);
    addWord(cycle[from + 1 == nodes ? 0 : from + 1], row, false);
  }
  int64_t asked = std::min(queries, nodes);
  random.shuffle(std::span(order), asked);
  for (int64_t i = 0; i < asked; ++i) {
    size_t group = training ? 0 : random.below(hops.size());
    int64_t steps = training ? 1 + int64_t(random.below(k)) : hops[group];
    row.add(int32_t(answer + steps));
    addWord(cycle[order[i]], row, false);
    row.add(answer, true);
    int64_t at = int64_t(row.tokens.size());
    addWord(cycle[(order[i] + steps) % nodes], row, true);
    row.answers.push_back({at, int64_t(row.tokens.size()), int64_t(group)});
  }
}

// Takes one word from the front of `tokens`: letters a, b, ... or, in large alphabets, numbers with dots.
std::string DepoTask::readWord(std::span<const int32_t> &tokens) const {
  std::string text;
  while (!tokens.empty() && tokens[0] >= firstInner) {
    int32_t token = tokens[0];
    int32_t letter = token >= firstLast ? token - firstLast : token - firstInner;
    tokens = tokens.subspan(1);
    if (v <= 26) {
      text += char('a' + letter);
    } else {
      text += text.empty() ? "" : ".";
      text += std::to_string(letter + 1);
    }
    if (token >= firstLast)
      return text;
  }
  return text + "...";
}

std::string DepoTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string edges, questions;
  int64_t count = 0;
  tokens = tokens.subspan(1);
  for (; !tokens.empty() && tokens[0] >= firstInner; ++count) {
    edges.append(" ").append(readWord(tokens));
    edges.append("->").append(readWord(tokens));
  }
  while (!tokens.empty()) {
    int64_t steps = tokens[0] - answer;
    tokens = tokens.subspan(1);
    questions.append("  ").append(std::to_string(steps)).append(steps == 1 ? " step" : " steps");
    questions.append(" from ").append(readWord(tokens));
    tokens = tokens.subspan(tokens.empty() ? 0 : 1);
    questions.append(": ").append(readWord(tokens)).append("\n");
  }
  return std::to_string(count) + " edges:" + edges + "\n" + questions;
}

} // namespace stretto
