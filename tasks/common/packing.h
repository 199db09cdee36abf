// What the synthetic tasks share: instances are generated one after another and packed into rows, answers
// are scored as a whole.
#pragma once

#include "tasks/common/parameters.h"
#include "tasks/common/random.h"
#include "tasks/common/rows.h"

namespace stretto::tasks {

// A task whose rows are instances joined without gaps, left-aligned: the first instance of a row is whole,
// the last one is cut at the end of the row. Every instance opens with the token `begin` (or another id up to
// lastBegin()), which occurs nowhere else, and is a document of its own. Row `sample` of a stream is drawn from
// Random(seed, stream, sample) alone.
class PackedTask : public runtime::Task {
public:
  static constexpr int32_t begin = 0;

  std::string name() const override { return parameters.task(); }
  int64_t length() const override { return parameters["length"]; }
  std::map<std::string, std::string> settings() const override { return parameters.text(); }

  void fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const override;

  // One score per group, in the order of groups(): whole answers, all of whose tokens are predicted right
  // given the true tokens before them; then "token_accuracy", the tokens of answers one by one. Answers
  // that the end of the row cuts do not count.
  std::vector<runtime::Score> score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                    const runtime::Predictions &predictions) const override;

  // Each answer of the first instance of the rows first .. first+count-1, with all true tokens before it as the prompt.
  // The model writes as many tokens as the answer has. Scores are those of whole answers, their names opening with
  // "generated/".
  std::vector<runtime::Prompt> prompts(uint64_t seed, uint64_t first, int64_t count) const override;
  std::vector<runtime::Score> judge(uint64_t seed, uint64_t first, int64_t count,
                                    std::span<const std::vector<int32_t>> answers) const override;

  std::string describe(const runtime::BatchView &batch, int64_t row) const override;

  // The answers of the first instance of a row, which is whole.
  std::span<const Answer> firstAnswers(const Row &row) const;

  // Makes one row of length()+1 tokens: the inputs and, one place later, the targets.
  Row makeRow(uint64_t seed, runtime::Stream stream, uint64_t sample) const;

  // The name of each kind of answer, the headline first.
  virtual std::vector<std::string> groups() const = 0;

  // The number that the published data uses for each id, for exchange; empty where none was published.
  virtual std::vector<int32_t> publishedIds() const { return {}; }

protected:
  // Throws TaskError where the longest instance does not fit into a row.
  PackedTask(Parameters values, int64_t longestInstance);
  void requireRoomFor(int64_t longestInstance) const;

  // Appends one instance to the row.
  virtual void append(Random &random, runtime::Stream stream, Row &row) const = 0;

  // Instances open with one of the ids begin .. lastBegin().
  virtual int32_t lastBegin() const { return begin; }
  bool opens(int32_t token) const { return token <= lastBegin(); }

  // An instance as text, one line per part; the end of the row may have cut it anywhere.
  virtual std::string describeInstance(std::span<const int32_t> tokens) const = 0;

  Parameters parameters;
};

} // namespace stretto::tasks
