// Brevo (mental breadth).
#include "tasks/brevo/brevo.h"

#include "tasks/brevo/dag.h"
#include "tasks/brevo/lengths.h"

#include <algorithm>
#include <array>

namespace stretto::tasks {

// The published numbering, where <answer> and <end> are one token.
static constexpr int32_t publishedBegin = 9999, publishedQuery = 9997, publishedAnswer = 9998, publishedEnd = 9998;

static constexpr int64_t deepestGroup = 9, fewestNodes = 3;

static std::vector<ParameterInfo> makeInfos(int64_t n, int64_t v, int64_t rMin, int64_t rMax, int64_t length) {
  std::vector<ParameterInfo> infos = Names::parameterInfos(v, rMin, rMax);
  infos.insert(infos.begin(),
               {"n", n, fewestNodes, 4096, "most nodes of a graph; the size of every graph in the evaluation"});
  infos.push_back(ParameterInfo::word("query", {"last", "last_quarter"},
                                      "the node asked for: the last one, or one of the last quarter"));
  infos.push_back({"length", length, 1, 1 << 24, "tokens in a sequence"});
  return infos;
}

const std::vector<ParameterInfo> &BrevoTask::parameterInfos1() {
  static const std::vector<ParameterInfo> infos = makeInfos(70, 70, 1, 1, 1024);
  return infos;
}

const std::vector<ParameterInfo> &BrevoTask::parameterInfos2() {
  static const std::vector<ParameterInfo> infos = makeInfos(30, 4, 2, 4, 1536);
  return infos;
}

// Tokens of an instance whose names all have so many letters, and whose answer lists so many nodes.
static int64_t tokensOf(int64_t letters, int64_t edges, int64_t listed) {
  return 1 + 2 * letters * edges + 2 + letters + letters * listed + 1;
}

// A bound of the tokens of instances that are not too rare: of all names that could be the longest, and in an answer
// that could list all nodes, the number of edges alone is random. Throws where it does not fit.
static int64_t checkLength(const Parameters &values) {
  const int64_t n = values["n"], letters = values["r_max"], length = values["length"];
  const int64_t likely = tokensOf(letters, likelyEdges(n, 1e-6), n);
  if (likely > length + 1)
    values.refuse("length",
                  "must be at least " + std::to_string(likely - 1) +
                      ", the bound by which all but one in a million instances fit whatever their names (the longest "
                      "possible has " +
                      std::to_string(tokensOf(letters, mostEdges(n), n)) + " tokens), but got " +
                      std::to_string(length));
  return likely;
}

BrevoTask::BrevoTask(Parameters values)
    : PackedTask(values, checkLength(values)), n(parameters["n"]),
      lastQuarter(parameters.word("query") == "last_quarter"), names(parameters, brevoLetters), sizes(fewestNodes, n) {}

// Of the fewest nodes one is a leaf, and the others have a parent each; asked is one of these.
int64_t BrevoTask::shortestDocument() const { return tokensOf(parameters["r_min"], fewestNodes - 1, 2); }

std::vector<std::string> BrevoTask::groups() const {
  std::vector<std::string> groups;
  for (int64_t depth = 1; depth < n && depth <= deepestGroup; ++depth)
    groups.push_back("depth=" + std::to_string(depth));
  if (n - 1 > deepestGroup)
    groups.back() += "+";
  return groups;
}

std::string BrevoTask::meaning(int32_t id) const {
  static const std::array<const char *, brevoLetters> others = {"begin", "query", "answer", "end"};
  return names.isLetter(id) ? names.meaning(id) : others[size_t(id)];
}

std::string BrevoTask::text(int32_t id) const {
  return names.isLetter(id) ? names.letterText(id) : "<" + meaning(id) + "> ";
}

std::vector<int32_t> BrevoTask::publishedIds() const {
  std::vector<int32_t> ids(vocabulary());
  ids[begin] = publishedBegin;
  ids[brevoQuery] = publishedQuery;
  ids[brevoAnswer] = publishedAnswer;
  ids[brevoEnd] = publishedEnd;
  names.publish(ids, parameters["r_max"] == 1 ? 1 : int32_t(parameters["v"]) + 1);
  return ids;
}

void BrevoTask::append(Random &random, runtime::Stream stream, Row &row) const {
  const size_t from = row.tokens.size();
  appendInstance(random, stream, row);
  while (int64_t(row.tokens.size() - from) > length() + 1) {
    row.tokens.resize(from);
    row.counted.resize(from);
    row.answers.pop_back();
    appendInstance(random, stream, row);
  }
}

void BrevoTask::appendInstance(Random &random, runtime::Stream stream, Row &row) const {
  const int64_t nodes = stream == runtime::Stream::Train ? sizes.draw(random) : n;
  const Dag dag = Dag::draw(random, nodes);
  const int64_t quarter = 3 * nodes / 4;
  const uint32_t query = uint32_t(lastQuarter ? quarter + int64_t(random.below(nodes - quarter)) : nodes - 1);
  const std::vector<uint64_t> nameOf = drawNames(random, dag);

  row.add(begin);
  addEdges(random, dag, nameOf, row);
  row.add(brevoQuery);
  names.add(nameOf[query], row, false);
  row.add(brevoAnswer, true);
  const int64_t at = int64_t(row.tokens.size());
  for (uint32_t node : dag.drawOrder(random, query))
    names.add(nameOf[node], row, true);
  row.add(brevoEnd, true);
  row.answers.push_back({at, int64_t(row.tokens.size()), std::min(dag.depth(query), deepestGroup) - 1});
}

std::vector<uint64_t> BrevoTask::drawNames(Random &random, const Dag &dag) const {
  std::vector<uint8_t> occurs(dag.size(), 0);
  for (uint32_t node = 0; node < dag.size(); ++node)
    for (uint32_t parent : dag.parentsOf(node))
      occurs[parent] = occurs[node] = 1;
  std::vector<uint64_t> drawn = names.draw(random, std::ranges::count(occurs, 1)), nameOf(dag.size());
  random.shuffle(std::span(drawn)); // drawing favours short names at the front
  for (uint32_t node = 0; node < dag.size(); ++node)
    if (occurs[node]) {
      nameOf[node] = drawn.back();
      drawn.pop_back();
    }
  return nameOf;
}

void BrevoTask::addEdges(Random &random, const Dag &dag, std::span<const uint64_t> nameOf, Row &row) const {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  edges.reserve(Dag::most * dag.size());
  for (uint32_t node = 0; node < dag.size(); ++node)
    for (uint32_t parent : dag.parentsOf(node))
      edges.emplace_back(parent, node);
  random.shuffle(std::span(edges));
  for (auto [parent, child] : edges) {
    names.add(nameOf[parent], row, false);
    names.add(nameOf[child], row, false);
  }
}

std::vector<runtime::Score> BrevoTask::byDepth(const std::string &name) const {
  std::vector<runtime::Score> scores = {runtime::Score::share(name)};
  for (const std::string &group : groups())
    scores.push_back(runtime::Score::share(name + "/" + group));
  return scores;
}

std::vector<runtime::Score> BrevoTask::score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                             const runtime::Predictions &predictions) const {
  checkShape(*this, batch, predictions.predicted.size());
  std::vector<runtime::Score> scores = byDepth("valid_answers");
  runtime::Score tokens = runtime::Score::share("valid_tokens");
  for (int64_t r = 0; r < batch.batch; ++r) {
    const Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    const std::span<const int32_t> all = row.tokens;
    const Answer &answer = row.answers[0];
    const size_t size = size_t(answer.end - answer.begin);
    // Token i of a row is the target at position i-1.
    auto predicted = predictions.predicted.subspan(r * batch.length + answer.begin - 1, size);
    bool whole = true;
    for (bool valid : Question(all, names).validNext(all.subspan(answer.begin, size), predicted)) {
      tokens.addInstance(valid);
      whole &= valid;
    }
    scores[0].addInstance(whole);
    scores[1 + answer.group].addInstance(whole);
  }
  scores.push_back(tokens);
  return scores;
}

std::vector<runtime::Prompt> BrevoTask::prompts(uint64_t seed, uint64_t first, int64_t count) const {
  const int64_t enough = n * parameters["r_max"] + 1;
  std::vector<runtime::Prompt> all;
  for (int64_t r = 0; r < count; ++r) {
    const Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    const int64_t size = row.answers[0].begin;
    all.push_back({{row.tokens.begin(), row.tokens.begin() + size}, std::min(enough, length() + 1 - size), brevoEnd});
  }
  return all;
}

std::vector<runtime::Score> BrevoTask::judge(uint64_t seed, uint64_t first, int64_t count,
                                             std::span<const std::vector<int32_t>> answers) const {
  std::vector<runtime::Score> scores = byDepth("generated/accuracy"), faults;
  for (size_t fault = 1; fault < faultNames.size(); ++fault)
    faults.push_back(runtime::Score::share(std::string("generated/wrong/") + faultNames[fault]));
  for (int64_t r = 0; r < count; ++r) {
    const Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    const Fault found = Question(row.tokens, names).judge(answers[r]);
    scores[0].addInstance(found == Fault::None);
    scores[1 + row.answers[0].group].addInstance(found == Fault::None);
    for (size_t fault = 1; fault < faultNames.size(); ++fault)
      faults[fault - 1].addInstance(found == Fault(fault));
  }
  scores.insert(scores.end(), faults.begin(), faults.end());
  return scores;
}

std::string BrevoTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string edges, rest;
  int64_t count = 0;
  tokens = tokens.subspan(1);
  for (; !tokens.empty() && names.isLetter(tokens[0]); ++count) {
    edges.append(" ").append(names.takeText(tokens));
    edges.append("->").append(names.takeText(tokens));
  }
  auto next = [&](int32_t token) {
    bool there = !tokens.empty() && tokens[0] == token;
    tokens = tokens.subspan(there);
    return there;
  };
  if (next(brevoQuery))
    rest.append("  what leads to ").append(names.takeText(tokens)).append(":");
  if (next(brevoAnswer)) {
    while (!tokens.empty() && names.isLetter(tokens[0]))
      rest.append(" ").append(names.takeText(tokens));
    if (!next(brevoEnd))
      rest += " ...";
  }
  return std::to_string(count) + " edges:" + edges + "\n" + (rest.empty() ? rest : rest + "\n");
}

} // namespace stretto::tasks
