// Brevo (mental breadth): the edges of an acyclic graph in random order, then one node; the answer lists all that the
// node depends on, in any order in which nothing stands before what it depends on.
#pragma once

#include "tasks/brevo/question.h"
#include "tasks/common/names.h"
#include "tasks/common/sizes.h"

namespace stretto::tasks {

class Dag;

// An instance: <begin>, then "x y" for every edge x -> y, then "<query> q <answer>", the ancestors of q in a random
// valid order (Dag::drawOrder) with q at the end, <end>. Names are words (Names). The loss counts <answer> and all
// after it.
//
// Training: n from SizeDistribution(3, n). Evaluation: n at its largest. Graphs are drawn by Dag::draw; q is the last
// node, or uniform among the last quarter (from node floor(3n/4) on). An instance longer than a row is drawn again;
// sizes are refused unless a bound says that this happens to at most one in a million.
//
// Ids: 0 begin, 1 query, 2 answer, 3 end, then letters.
class BrevoTask : public PackedTask {
public:
  // Defaults of brevo1 (one letter of 70) and brevo2 (two to four letters of 4).
  static const std::vector<ParameterInfo> &parameterInfos1();
  static const std::vector<ParameterInfo> &parameterInfos2();

  explicit BrevoTask(Parameters values);
  int64_t vocabulary() const override { return names.end(); }
  int64_t shortestDocument() const override;

  // "depth=<edges>": fewest edges from the query back to a leaf. From nine on they are one group, "depth=9+".
  std::vector<std::string> groups() const override;
  std::string meaning(int32_t id) const override;
  std::string text(int32_t id) const override;
  std::vector<int32_t> publishedIds() const override;

  // Of the first instance of each row; those behind it are there only if they are small enough. Given the true tokens
  // before, any token is right that some valid answer has there. "valid_answers" are those with right tokens throughout
  // (the headline; then by depth), "valid_tokens" counts the tokens of answers one by one.
  std::vector<runtime::Score> score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                    const runtime::Predictions &predictions) const override;

  // One prompt for each row: its first instance up to <answer>. Room to write is left for all nodes of the graph.
  std::vector<runtime::Prompt> prompts(uint64_t seed, uint64_t first, int64_t count) const override;

  bool judgedByWriting() const override { return true; }

  // "generated/accuracy", the same by depth, then what is wrong with how many answers ("generated/wrong/<fault>", each
  // wrong answer under the first fault that it has: see Fault).
  std::vector<runtime::Score> judge(uint64_t seed, uint64_t first, int64_t count,
                                    std::span<const std::vector<int32_t>> answers) const override;

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  void appendInstance(Random &random, runtime::Stream stream, Row &row) const;
  // A name for each node that an edge touches (leaves without children are not seen and need none).
  std::vector<uint64_t> drawNames(Random &random, const Dag &dag) const;
  void addEdges(Random &random, const Dag &dag, std::span<const uint64_t> nameOf, Row &row) const;
  std::vector<runtime::Score> byDepth(const std::string &name) const;

  int64_t n;
  bool lastQuarter;
  Names names;
  SizeDistribution sizes;
};

} // namespace stretto::tasks
