// Copy: some distinct symbols in random order, a query, the same symbols again.
#include "tasks/copy/copy.h"

#include <numeric>

namespace stretto::tasks {

const std::vector<ParameterInfo> &CopyTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      {"n", 500, 1, 1 << 20, "symbols in an instance"},
      {"symbols", 500, 1, 1 << 20, "symbols to choose from, at least n; equal to n: permutations"},
      {"length", 1024, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

CopyTask::CopyTask(Parameters values)
    : PackedTask(values, 2 * values["n"] + 2), n(parameters["n"]), symbols(parameters["symbols"]) {
  if (symbols < n)
    parameters.fail("parameter 'symbols' must be at least n=" + std::to_string(n) + ", but got " +
                    std::to_string(symbols));
}

void CopyTask::append(Random &random, runtime::Stream, Row &row) const {
  std::vector<int32_t> order(symbols);
  std::iota(order.begin(), order.end(), firstSymbol);
  random.shuffle(std::span(order), n);
  row.add(begin);
  for (int64_t i = 0; i < n; ++i)
    row.add(order[i]);
  row.add(query);
  int64_t from = int64_t(row.tokens.size());
  for (int64_t i = 0; i < n; ++i)
    row.add(order[i], true);
  row.answers.push_back({from, from + n, 0});
}

std::string CopyTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string text = "symbols ";
  for (int32_t token : tokens.subspan(1)) {
    if (token == query)
      text += "\n  copy  ";
    else
      text.append(" ").append(std::to_string(token - firstSymbol + 1));
  }
  return text + "\n";
}

} // namespace stretto::tasks
