// Depo (mental depth).
#include "tasks/depo/depo.h"

#include "runtime/core/counted.h"

#include <algorithm>
#include <numeric>

namespace stretto::tasks {

// The published numbering: queries are 9000+k, so that letters lie below and <answer> above them.
static constexpr int32_t publishedBegin = 9999, publishedAnswer = 9500, publishedQuery = 9000;

static constexpr int64_t fewestNodes = 3;

static std::vector<ParameterInfo> makeInfos(int64_t n, int64_t k, int64_t v, int64_t rMin, int64_t rMax) {
  std::vector<ParameterInfo> infos = Names::parameterInfos(v, rMin, rMax);
  infos.insert(infos.begin(),
               {{"n", n, fewestNodes, 1 << 20, "most nodes of a cycle; the size of every cycle in the evaluation"},
                {"k", k, 1, publishedAnswer - publishedQuery - 1, "most steps asked for"}});
  infos.push_back({"queries", 10, 1, 1 << 20, "most queries of an instance, each on a node of its own"});
  infos.push_back({"length", 2048, 1, 1 << 24, "tokens in a sequence"});
  return infos;
}

const std::vector<ParameterInfo> &DepoTask::parameterInfos1() {
  static const std::vector<ParameterInfo> infos = makeInfos(225, 8, 50, 1, 2);
  return infos;
}

const std::vector<ParameterInfo> &DepoTask::parameterInfos2() {
  static const std::vector<ParameterInfo> infos = makeInfos(75, 16, 3, 5, 7);
  return infos;
}

// Tokens of an instance whose names all have so many letters.
static int64_t tokensOf(const Parameters &values, int64_t nodes, int64_t letters) {
  return 1 + 2 * nodes * letters + std::min(values["queries"], nodes) * (2 + 2 * letters);
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
    : PackedTask(values, tokensOf(values, values["n"], values["r_max"])), n(parameters["n"]), k(parameters["k"]),
      queries(parameters["queries"]), names(parameters, int32_t(answer + 1 + k)), sizes(fewestNodes, n),
      hops(evaluationHops(k)) {}

int64_t DepoTask::shortestDocument() const { return tokensOf(parameters, fewestNodes, parameters["r_min"]); }

std::vector<std::string> DepoTask::groups() const {
  std::vector<std::string> groups;
  for (int64_t steps : hops)
    groups.push_back("accuracy/k=" + std::to_string(steps));
  return groups;
}

std::string DepoTask::meaning(int32_t id) const {
  if (names.isLetter(id))
    return names.meaning(id);
  return id == begin ? "begin" : id == answer ? "answer" : "query k=" + std::to_string(id - answer);
}

std::string DepoTask::text(int32_t id) const {
  if (names.isLetter(id))
    return names.letterText(id);
  return id == begin ? "<begin> " : id == answer ? "<answer> " : "<k=" + std::to_string(id - answer) + "> ";
}

std::vector<int32_t> DepoTask::publishedIds() const {
  std::vector<int32_t> ids(vocabulary());
  ids[begin] = publishedBegin;
  ids[answer] = publishedAnswer;
  for (int32_t steps = 1; steps <= k; ++steps)
    ids[answer + steps] = publishedQuery + steps;
  names.publish(ids, int32_t(parameters["v"]) + 1);
  return ids;
}

void DepoTask::append(Random &random, runtime::Stream stream, Row &row) const {
  bool training = stream == runtime::Stream::Train;
  int64_t nodes = training ? sizes.draw(random) : n;
  // The cycle visits the names in this order. Drawing favours short names at the front, hence the shuffle.
  std::vector<uint64_t> cycle = names.draw(random, nodes);
  random.shuffle(std::span(cycle));
  std::vector<uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));

  row.add(begin);
  for (uint32_t from : order) {
    names.add(cycle[from], row, false);
    names.add(cycle[from + 1 == nodes ? 0 : from + 1], row, false);
  }
  int64_t asked = std::min(queries, nodes);
  random.shuffle(std::span(order), asked);
  for (int64_t i = 0; i < asked; ++i) {
    size_t group = training ? 0 : random.below(hops.size());
    int64_t steps = training ? 1 + int64_t(random.below(k)) : hops[group];
    row.add(int32_t(answer + steps));
    names.add(cycle[order[i]], row, false);
    row.add(answer, true);
    int64_t at = int64_t(row.tokens.size());
    names.add(cycle[(order[i] + steps) % nodes], row, true);
    row.answers.push_back({at, int64_t(row.tokens.size()), int64_t(group)});
  }
}

std::string DepoTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string edges, questions;
  int64_t count = 0;
  tokens = tokens.subspan(1);
  for (; !tokens.empty() && names.isLetter(tokens[0]); ++count) {
    edges.append(" ").append(names.takeText(tokens));
    edges.append("->").append(names.takeText(tokens));
  }
  while (!tokens.empty()) {
    int64_t steps = tokens[0] - answer;
    tokens = tokens.subspan(1);
    questions.append("  ").append(runtime::counted(steps, "step"));
    questions.append(" from ").append(names.takeText(tokens));
    tokens = tokens.subspan(tokens.empty() ? 0 : 1);
    questions.append(": ").append(names.takeText(tokens)).append("\n");
  }
  return std::to_string(count) + " edges:" + edges + "\n" + questions;
}

} // namespace stretto::tasks
