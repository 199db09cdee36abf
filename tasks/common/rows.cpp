// Rows: what tasks make, before it becomes part of a batch.
#include "tasks/common/rows.h"

#include <algorithm>
#include <stdexcept>

namespace stretto::tasks {

void checkShape(const runtime::Task &task, const runtime::BatchView &batch, size_t predictions) {
  size_t size = size_t(batch.batch * batch.length);
  if (batch.length != task.length() || batch.tokens.size() != size || batch.targets.size() != size ||
      batch.mask.size() != size || batch.positions.size() != size || predictions != size)
    throw std::invalid_argument("task '" + task.name() + "': sequences must have " + std::to_string(task.length()) +
                                " tokens, but got a batch of another shape");
}

void writeRow(const Row &row, int32_t begin, int32_t lastBegin, runtime::BatchView batch, int64_t r) {
  int64_t at = r * batch.length;
  std::copy_n(row.tokens.begin(), batch.length, batch.tokens.begin() + at);
  std::copy_n(row.tokens.begin() + 1, batch.length, batch.targets.begin() + at);
  std::copy_n(row.counted.begin() + 1, batch.length, batch.mask.begin() + at);
  int32_t position = 0;
  for (int64_t t = at; t < at + batch.length; ++t) {
    const int32_t token = batch.tokens[t];
    batch.positions[t] = position = t == at || (token >= begin && token <= lastBegin) ? 0 : position + 1;
  }
}

std::vector<int32_t> rowTokens(const runtime::BatchView &batch, int64_t r) {
  auto inputs = batch.tokens.subspan(r * batch.length, batch.length);
  std::vector<int32_t> tokens(inputs.begin(), inputs.end());
  tokens.push_back(batch.targets[r * batch.length + batch.length - 1]);
  return tokens;
}

} // namespace stretto::tasks
