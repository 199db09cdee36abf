// What the tests of the tasks share.
#pragma once

#include "tasks/registry.h"

#include <span>

namespace stretto::test {

// Owns the arrays of a batch.
struct Batch {
  Batch(int64_t batch, int64_t length)
      : batch(batch), length(length), tokens(batch * length), targets(batch * length), mask(batch * length),
        positions(batch * length) {}
  Batch(const runtime::Task &task, uint64_t seed, runtime::Stream stream, uint64_t first, int64_t batch)
      : Batch(batch, task.length()) {
    task.fill(seed, stream, first, view());
  }
  runtime::BatchView view() { return {batch, length, tokens, targets, mask, positions}; }
  // Rows [begin, end).
  runtime::BatchView rows(int64_t begin, int64_t end) {
    size_t at = size_t(begin * length), size = size_t((end - begin) * length);
    return {end - begin,
            length,
            std::span(tokens).subspan(at, size),
            std::span(targets).subspan(at, size),
            std::span(mask).subspan(at, size),
            std::span(positions).subspan(at, size)};
  }
  // The tokens of a row with the last target at the end, and which of them count.
  std::vector<int32_t> row(int64_t r) const {
    std::vector<int32_t> all(tokens.begin() + r * length, tokens.begin() + (r + 1) * length);
    all.push_back(targets[(r + 1) * length - 1]);
    return all;
  }

  int64_t batch, length;
  std::vector<int32_t> tokens, targets;
  std::vector<uint8_t> mask;
  std::vector<int32_t> positions;
};

// Sum of (observed - expected)^2 / expected. With d degrees of freedom it exceeds d + 4.4 sqrt(d) + 6 in fewer
// than one of 1000 fair cases (for d >= 1).
inline double chiSquare(std::span<const double> observed, std::span<const double> expected) {
  double sum = 0;
  for (size_t i = 0; i < observed.size(); ++i)
    sum += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
  return sum;
}

// What a task says of the files it was made from, in one text.
inline std::string contentsOf(const std::string &task, const std::map<std::string, std::string> &settings) {
  std::string text;
  for (const auto &[parameter, digest] : tasks::makeTask(task, settings)->contents())
    text += digest.empty() ? "" : parameter + " " + digest + "\n";
  return text;
}

// The message of the TaskError that `call` throws; empty where it throws none.
template <typename F> std::string errorOf(F call) {
  try {
    call();
  } catch (const tasks::TaskError &error) {
    return error.what();
  }
  return "";
}

} // namespace stretto::test
