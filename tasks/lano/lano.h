// Lano (hierarchical language): sentences of a layered context-free grammar.
#pragma once

#include "tasks/common/packing.h"
#include "tasks/lano/grammar.h"

namespace stretto::tasks {

// An instance: <begin>, then a sentence, whose rules are chosen uniformly. The loss counts every token, the <begin>
// that follows a sentence and so ends it included. A sentence that does not fit into a row together with its end is
// drawn again; parameters for which more than one sentence in 100,000 would not fit are refused, so that the exact
// distribution of all sentences is, to 1e-5, that of those drawn.
//
// Evaluation compares with the exact distribution of the next token, of sentences that may have any length, and judges
// sentences that the model writes after <begin>.
//
// Ids: 0 begin, then the terminals in the order of the grammar.
class LanoTask : public PackedTask {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit LanoTask(Parameters values);
  int64_t vocabulary() const override { return 1 + grammar.terminals; }
  int64_t shortestDocument() const override { return 1 + grammar.shortest[grammar.root()]; }
  std::map<std::string, std::string> contents() const override { return {{"grammar", grammar.digest}}; }
  std::vector<std::string> groups() const override { return {}; }
  std::string meaning(int32_t id) const override {
    return id == begin ? "begin" : "terminal " + grammar.names[id - firstTerminal];
  }
  std::string text(int32_t id) const override {
    return (id == begin ? std::string(Grammar::opening) : grammar.names[id - firstTerminal]) + " ";
  }
  std::vector<int32_t> publishedIds() const override { return grammar.published; }

  // Over all targets: "kl", the divergence of the model's distribution from the exact one (where there are
  // logProbabilities); "excess_nll", how much the model's loss lies above the lowest one on the same targets, and that
  // one, "ideal_nll"; "token_accuracy", and "ideal_token_accuracy", what it is on average if the most likely token is
  // named.
  std::vector<runtime::Score> score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                    const runtime::Predictions &predictions) const override;
  // One evaluation for each token of the vocabulary pays off where there are few.
  bool wantsDistribution() const override { return vocabulary() <= 64; }

  // Each instance: <begin> alone, to go on until <begin> again.
  std::vector<runtime::Prompt> prompts(uint64_t seed, uint64_t first, int64_t count) const override;
  // "generated/accuracy", the share of sentences; then why others are none: a token with which no sentence goes on
  // ("generated/wrong_token"), else an end too early ("generated/early_end") or none ("generated/no_end").
  std::vector<runtime::Score> judge(uint64_t seed, uint64_t first, int64_t count,
                                    std::span<const std::vector<int32_t>> answers) const override;
  bool judgedByWriting() const override { return true; }
  double temperature() const override { return 1; }

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  static constexpr int32_t firstTerminal = 1;

  void checkLength() const;
  static std::vector<int32_t> terminalsOf(std::span<const int32_t> tokens);

  Grammar grammar;
};

} // namespace stretto::tasks
