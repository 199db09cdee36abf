// The exact probabilities of the token that follows each opening of a sentence.
#include "tasks/lano/next_tokens.h"

#include <algorithm>

namespace stretto::tasks {

static constexpr double negligible = 1e-200;

NextTokens::NextTokens(const Grammar &grammar) : grammar(grammar), items(grammar) {}

void NextTokens::begin(size_t tokens) {
  columns = tokens + 1;
  store.clear();
  openings.assign(columns * size_t(items.slots), {});
  forward.assign(columns * size_t(grammar.symbols()), 0);
  current.assign(columns * size_t(items.count()), 0);
  touched.assign(size_t(items.count()), {});
  reached.assign(size_t(grammar.symbols()), 0);
  inside.assign(columns, 0);
  insideRange = {};
  rootInside = 0;
  forward[size_t(grammar.root()) * columns] = 1;
  predict(0);
}

NextTokens::Row NextTokens::save(const double *values, size_t first, size_t end) {
  while (first < end && values[first] == 0)
    ++first;
  while (end > first && values[end - 1] == 0)
    --end;
  if (first >= end)
    return {};
  Row row{store.size(), uint32_t(first), uint32_t(end - first)};
  store.insert(store.end(), values + first, values + end);
  return row;
}

// Notes that numbers of an item may not be zero any more.
void NextTokens::touch(int32_t item, uint32_t from, uint32_t to) {
  touched[size_t(item)].include(from, to);
  reached[size_t(items.owner[item])] = 1;
}

// Goes over `symbol`, whose inside probabilities are in `inside`, wherever it was waited for.
void NextTokens::complete(int32_t symbol) {
  for (const Items::Step &step : items.waiting[symbol]) {
    const int32_t owner = items.owner[step.from];
    double *values = &current[size_t(step.to) * columns];
    if (items.before[step.from] < 0) {
      const double *may = &forward[size_t(owner) * columns];
      for (uint32_t from = insideRange.first; from < insideRange.end; ++from)
        values[from] += may[from] >= negligible ? inside[from] : 0;
      touch(step.to, insideRange.first, insideRange.end);
      continue;
    }
    for (uint32_t from = insideRange.first; from < insideRange.end; ++from) {
      const Row &row = opening(from, step.from);
      const double factor = inside[from];
      if (row.count == 0 || factor == 0)
        continue;
      const double *numbers = &store[row.at];
      for (uint32_t i = 0; i < row.count; ++i)
        values[row.first + i] += factor * numbers[i];
      touch(step.to, row.first, row.first + row.count);
    }
  }
}

// Collects the inside probabilities of `symbol`, all of whose children are complete, and keeps its openings.
void NextTokens::finish(int32_t symbol, size_t column) {
  for (int32_t item : items.whole[symbol]) {
    const Range range = touched[size_t(item)];
    for (uint32_t from = range.first; from < range.end; ++from)
      inside[from] += current[size_t(item) * columns + from] / double(grammar.rules[symbol].size());
    if (range.first < range.end)
      insideRange.include(range.first, range.end);
  }
  for (int32_t item : items.places[symbol]) {
    const Range range = touched[size_t(item)];
    double *values = &current[size_t(item) * columns];
    if (range.first >= range.end)
      continue;
    if (items.slot[item] >= 0)
      openings[column * size_t(items.slots) + size_t(items.slot[item])] = save(values, range.first, range.end);
    std::fill(values + range.first, values + range.end, 0);
    touched[size_t(item)] = {};
  }
  reached[size_t(symbol)] = 0;
}

// Makes the column behind `token`, which counts `weight`.
void NextTokens::advance(size_t column, double weight, int32_t token) {
  rootInside = 0;
  inside[column - 1] = weight;
  insideRange = {uint32_t(column - 1), uint32_t(column)};
  for (int32_t symbol = token;;) {
    if (insideRange.first < insideRange.end)
      complete(symbol);
    std::fill(inside.begin() + std::min(insideRange.first, insideRange.end), inside.begin() + insideRange.end, 0);
    insideRange = {};
    symbol = std::max(symbol + 1, grammar.terminals);
    if (symbol == grammar.symbols())
      break;
    if (reached[size_t(symbol)])
      finish(symbol, column);
    if (symbol == grammar.root())
      rootInside = inside[0];
  }
  predict(column);
}

// The forward probabilities of a column, from the root down.
void NextTokens::predict(size_t column) {
  for (int32_t symbol = grammar.root(); symbol >= grammar.terminals; --symbol) {
    const double *before = &forward[size_t(symbol) * columns];
    for (int32_t item : items.places[symbol]) {
      double mass = 0;
      if (items.before[item] < 0) {
        mass = before[column];
      } else if (items.slot[item] >= 0) {
        const Row &row = opening(column, item);
        for (uint32_t i = 0; i < row.count; ++i)
          mass += store[row.at + i] * before[row.first + i];
      }
      if (mass > 0)
        for (int32_t to : items.next[item])
          forward[size_t(items.child[to]) * columns + column] += mass * items.share[to];
    }
  }
}

std::vector<double> NextTokens::rows(std::span<const int32_t> tokens) {
  const size_t most = std::min(tokens.size(), size_t(grammar.longest[grammar.root()]));
  begin(most);
  std::vector<double> all;
  for (size_t column = 0;; ++column) {
    std::vector<double> row = {rootInside};
    double sum = rootInside;
    for (int32_t t = 0; t < grammar.terminals; ++t)
      sum += row.emplace_back(forward[size_t(t) * columns + column]);
    if (!(sum > 0))
      return all;
    for (double value : row)
      all.push_back(value / sum);
    if (column == most || tokens[column] < 0 || tokens[column] >= grammar.terminals)
      return all;
    const double next = row[size_t(tokens[column]) + 1];
    if (next < negligible)
      return all;
    advance(column + 1, 1 / next, tokens[column]);
  }
}

} // namespace stretto::tasks
