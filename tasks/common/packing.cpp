// What the synthetic tasks share.
#include "tasks/common/packing.h"

#include <algorithm>

namespace stretto::tasks {

PackedTask::PackedTask(Parameters values, int64_t longestInstance) : parameters(std::move(values)) {
  requireRoomFor(longestInstance);
}

void PackedTask::requireRoomFor(int64_t longestInstance) const {
  // The last token of a row is a target only, so a row of `length` inputs holds one token more.
  if (longestInstance > length() + 1)
    parameters.refuse("length", "must be at least " + std::to_string(longestInstance - 1) +
                                    " for the longest possible instance, of " + std::to_string(longestInstance) +
                                    " tokens, to fit, but got " + std::to_string(length()));
}

Row PackedTask::makeRow(uint64_t seed, runtime::Stream stream, uint64_t sample) const {
  Random random(seed, uint32_t(stream), sample);
  size_t size = size_t(length()) + 1;
  Row row;
  row.tokens.reserve(2 * size);
  row.counted.reserve(2 * size);
  while (row.tokens.size() < size)
    append(random, stream, row);
  row.tokens.resize(size);
  row.counted.resize(size);
  std::erase_if(row.answers, [&](const Answer &answer) { return answer.end > int64_t(size); });
  return row;
}

void PackedTask::fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const {
  checkShape(*this, batch, batch.tokens.size());
  for (int64_t r = 0; r < batch.batch; ++r)
    writeRow(makeRow(seed, stream, first + uint64_t(r)), begin, lastBegin(), batch, r);
}

std::vector<runtime::Score> PackedTask::score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                              const runtime::Predictions &predictions) const {
  std::span<const int32_t> predicted = predictions.predicted;
  checkShape(*this, batch, predicted.size());
  std::vector<runtime::Score> scores;
  for (const std::string &group : groups())
    scores.push_back(runtime::Score::share(group));
  runtime::Score tokens = runtime::Score::share("token_accuracy");
  for (int64_t r = 0; r < batch.batch; ++r)
    for (const Answer &answer : makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r)).answers) {
      // Token i of a row is the target at position i-1.
      int64_t at = r * batch.length + answer.begin - 1, size = answer.end - answer.begin;
      bool whole = true;
      for (int64_t i = at; i < at + size; ++i) {
        bool right = predicted[i] == batch.targets[i];
        tokens.addInstance(right);
        whole &= right;
      }
      scores[answer.group].addInstance(whole);
    }
  scores.push_back(tokens);
  return scores;
}

std::span<const Answer> PackedTask::firstAnswers(const Row &row) const {
  auto nextInstance =
      std::find_if(row.tokens.begin() + 1, row.tokens.end(), [&](int32_t token) { return opens(token); });
  int64_t end = nextInstance - row.tokens.begin();
  auto next = std::ranges::find_if(row.answers, [&](const Answer &answer) { return answer.begin > end; });
  return {row.answers.begin(), next};
}

std::vector<runtime::Prompt> PackedTask::prompts(uint64_t seed, uint64_t first, int64_t count) const {
  std::vector<runtime::Prompt> all;
  for (int64_t r = 0; r < count; ++r) {
    Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    for (const Answer &answer : firstAnswers(row))
      all.push_back({{row.tokens.begin(), row.tokens.begin() + answer.begin}, answer.end - answer.begin});
  }
  return all;
}

std::vector<runtime::Score> PackedTask::judge(uint64_t seed, uint64_t first, int64_t count,
                                              std::span<const std::vector<int32_t>> answers) const {
  std::vector<runtime::Score> scores;
  for (const std::string &group : groups())
    scores.push_back(runtime::Score::share("generated/" + group));
  size_t next = 0;
  for (int64_t r = 0; r < count; ++r) {
    Row row = makeRow(seed, runtime::Stream::Evaluation, first + uint64_t(r));
    for (const Answer &answer : firstAnswers(row)) {
      auto truth = std::span(row.tokens).subspan(answer.begin, answer.end - answer.begin);
      scores[answer.group].addInstance(std::ranges::equal(truth, answers[next++]));
    }
  }
  return scores;
}

std::string PackedTask::describe(const runtime::BatchView &batch, int64_t row) const {
  checkShape(*this, batch, batch.tokens.size());
  std::vector<int32_t> tokens = rowTokens(batch, row);
  std::string text;
  for (size_t from = 0; from < tokens.size();) {
    size_t to = from + 1;
    while (to < tokens.size() && !opens(tokens[to]))
      ++to;
    text += describeInstance(std::span(tokens).subspan(from, to - from));
    from = to;
  }
  return text;
}

} // namespace stretto::tasks
