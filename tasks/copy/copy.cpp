// Copy: some distinct symbols in random order, a query, the same symbols again.
#include "tasks/copy/copy.h"

#include "tasks/common/words.h"

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
    parameters.refuse("symbols", "must be at least n=" + std::to_string(n) + ", but got " + std::to_string(symbols));
}

// Few of many are drawn one by one, as filling a list of all would take longer.
std::vector<uint64_t> CopyTask::drawSymbols(Random &random) const {
  if (n < symbols / 4)
    return Words(symbols, 1, 1).draw(random, n);
  std::vector<uint64_t> order(symbols);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order), n);
  order.resize(n);
  return order;
}

void CopyTask::append(Random &random, runtime::Stream, Row &row) const {
  const std::vector<uint64_t> order = drawSymbols(random);
  row.add(begin);
  for (uint64_t symbol : order)
    row.add(firstSymbol + int32_t(symbol));
  row.add(query);
  int64_t from = int64_t(row.tokens.size());
  for (uint64_t symbol : order)
    row.add(firstSymbol + int32_t(symbol), true);
  row.answers.push_back({from, from + n, 0});
}

std::string CopyTask::meaning(int32_t id) const {
  return id == begin ? "begin" : id == query ? "query" : "symbol " + std::to_string(id - firstSymbol + 1);
}

std::string CopyTask::text(int32_t id) const {
  return id == begin ? "<begin> " : id == query ? "<query> " : std::to_string(id - firstSymbol + 1) + " ";
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
