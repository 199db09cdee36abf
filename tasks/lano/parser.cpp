// Whether a string is a sentence of a grammar, and how.
#include "tasks/lano/parser.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace stretto::tasks {

Parser::Parser(const Grammar &grammar)
    : grammar(grammar), items(grammar), symbolWords(size_t(grammar.symbols()) / 64 + 1),
      openers(size_t(grammar.symbols()) * symbolWords), behind(size_t(items.slots) * symbolWords),
      expected(symbolWords) {
  auto unite = [&](Word *set, int32_t symbol) {
    for (size_t w = 0; w < symbolWords; ++w)
      set[w] |= openers[size_t(symbol) * symbolWords + w];
  };
  for (int32_t symbol = 0; symbol < grammar.symbols(); ++symbol) {
    Word *own = &openers[size_t(symbol) * symbolWords];
    own[symbol / 64] |= Word{1} << symbol % 64;
    for (const Grammar::Rule &rule : grammar.rules[symbol])
      unite(own, rule[0]);
  }
  for (int32_t item = 0; item < items.count(); ++item)
    if (items.slot[item] >= 0)
      for (int32_t to : items.next[item])
        unite(&behind[size_t(items.slot[item]) * symbolWords], items.child[to]);
}

void Parser::begin(size_t tokens) {
  words = tokens / 64 + 1;
  store.clear();
  openings.assign((tokens + 1) * size_t(items.slots), {});
  finished.assign((tokens + 1) * size_t(grammar.symbols()), {});
  predicted.assign(size_t(grammar.symbols()) * words, 0);
  whole.assign(words, 0);
  current.assign(size_t(items.count()) * words, 0);
  touched.assign(size_t(items.count()), {UINT16_MAX, 0});
  reached.assign(size_t(grammar.symbols()), 0);
  expect(&openers[size_t(grammar.root()) * symbolWords]);
  predict(0);
}

Parser::Row Parser::save(const Word *bits, size_t first, size_t end) {
  while (first < end && bits[first] == 0)
    ++first;
  while (end > first && bits[end - 1] == 0)
    --end;
  if (first >= end)
    return {};
  Row row{uint32_t(store.size()), uint16_t(first), uint16_t(end - first)};
  store.insert(store.end(), bits + first, bits + end);
  return row;
}

bool Parser::contains(const Row &row, size_t position) const {
  const size_t word = position / 64 - row.first; // wraps where below
  return word < row.count && store[row.at + word] >> position % 64 & 1;
}

// Positions of a set, ascending.
template <typename F> void Parser::forEach(const Row &row, F visit) const {
  for (size_t w = 0; w < row.count; ++w)
    for (Word bits = store[row.at + w]; bits != 0; bits &= bits - 1)
      visit((size_t(row.first) + w) * 64 + size_t(std::countr_zero(bits)));
}

// Notes that words of the set of an item may not be zero any more.
void Parser::touch(int32_t item, const Row &row) {
  auto &[first, end] = touched[size_t(item)];
  first = std::min(first, row.first);
  end = std::max(end, uint16_t(row.first + row.count));
  reached[size_t(items.owner[item])] = 1;
}

void Parser::clear(int32_t item) {
  auto &[first, end] = touched[size_t(item)];
  for (size_t w = first; w < end; ++w)
    current[size_t(item) * words + w] = 0;
  touched[size_t(item)] = {UINT16_MAX, 0};
}

// Goes over `symbol`, whose set of the column is final, wherever it was waited for.
void Parser::complete(int32_t symbol, size_t column) {
  const Row row = finished[column * size_t(grammar.symbols()) + size_t(symbol)];
  for (const Items::Step &step : items.waiting[symbol]) {
    Word *bits = &current[size_t(step.to) * words];
    if (items.before[step.from] < 0) {
      const Word *may = &predicted[size_t(items.owner[step.from]) * words];
      for (size_t w = row.first; w < size_t(row.first) + row.count; ++w)
        bits[w] |= store[row.at + w - row.first] & may[w];
      touch(step.to, row);
      continue;
    }
    forEach(row, [&](size_t from) {
      const Row &before = opening(from, step.from);
      for (size_t w = 0; w < before.count; ++w)
        bits[before.first + w] |= store[before.at + w];
      if (before.count)
        touch(step.to, before);
    });
  }
}

// Where the rules of a symbol that end in the column started.
Parser::Row Parser::unite(int32_t symbol) {
  size_t first = words, end = 0;
  for (int32_t item : items.whole[symbol]) {
    const auto [from, to] = touched[size_t(item)];
    for (size_t w = from; w < to; ++w)
      whole[w] |= current[size_t(item) * words + w];
    first = std::min(first, size_t(from));
    end = std::max(end, size_t(to));
  }
  const Row row = save(whole.data(), first, end);
  for (size_t w = first; w < end; ++w)
    whole[w] = 0;
  return row;
}

// Makes the column behind `token`. False where no sentence goes on with that token.
bool Parser::advance(size_t column, int32_t token) {
  if (token < 0 || token >= grammar.terminals ||
      !(predicted[size_t(token) * words + (column - 1) / 64] >> (column - 1) % 64 & 1))
    return false;
  Row &end = finished[column * size_t(grammar.symbols()) + size_t(token)];
  end = {uint32_t(store.size()), uint16_t((column - 1) / 64), 1};
  store.push_back(Word{1} << (column - 1) % 64);
  complete(token, column);
  for (int32_t symbol = grammar.terminals; symbol < grammar.symbols(); ++symbol)
    if (reached[size_t(symbol)])
      finish(symbol, column);
  predict(column);
  return true;
}

// Keeps the sets of a symbol, all of whose children are final, and goes over it.
void Parser::finish(int32_t symbol, size_t column) {
  Row &row = finished[column * size_t(grammar.symbols()) + size_t(symbol)];
  row = unite(symbol);
  for (int32_t item : items.places[symbol]) {
    const auto [first, end] = touched[size_t(item)];
    if (first >= end)
      continue;
    if (const int32_t slot = items.slot[item]; slot >= 0) {
      Row &kept = openings[column * size_t(items.slots) + size_t(slot)];
      kept = save(&current[size_t(item) * words], first, end);
      if (kept.count)
        expect(&behind[size_t(slot) * symbolWords]);
    }
    clear(item);
  }
  reached[size_t(symbol)] = 0;
  if (row.count)
    complete(symbol, column);
}

void Parser::expect(const Word *symbols) {
  for (size_t w = 0; w < symbolWords; ++w)
    expected[w] |= symbols[w];
}

// Notes what may stand at a column, which was gathered in `expected`.
void Parser::predict(size_t column) {
  for (size_t w = 0; w < symbolWords; ++w) {
    for (Word bits = expected[w]; bits != 0; bits &= bits - 1)
      predicted[(w * 64 + size_t(std::countr_zero(bits))) * words + column / 64] |= Word{1} << column % 64;
    expected[w] = 0;
  }
}

Parser::Verdict Parser::check(std::span<const int32_t> tokens) {
  // A longer string is no sentence, and its rows would be too many.
  const auto most = std::min(tokens.size(), size_t(grammar.longest[grammar.root()]) + 1);
  begin(most);
  Verdict verdict;
  while (verdict.viable < most && advance(verdict.viable + 1, tokens[verdict.viable]))
    ++verdict.viable;
  verdict.sentence = verdict.viable == tokens.size() &&
                     contains(finished[most * size_t(grammar.symbols()) + size_t(grammar.root())], 0);
  return verdict;
}

Parser::Tree Parser::parse(std::span<const int32_t> tokens) {
  if (!accepts(tokens))
    throw std::invalid_argument("a string that is parsed must be a sentence of the grammar");
  return build(grammar.root(), 0, tokens.size());
}

Parser::Tree Parser::build(int32_t symbol, size_t from, size_t to) const {
  Tree tree{symbol, from, to, {}};
  for (int32_t item : items.whole[symbol])
    if (buildChildren(item, from, to, tree.children))
      break;
  return tree;
}

// Fills `children` if the opening that ends at `item` derives the tokens [from, to).
bool Parser::buildChildren(int32_t item, size_t from, size_t to, std::vector<Tree> &children) const {
  if (items.before[item] < 0)
    return from == to;
  const int32_t before = items.before[item], child = items.child[item];
  const bool first = items.before[before] < 0;
  size_t split = SIZE_MAX; // where the last child starts
  forEach(finished[to * size_t(grammar.symbols()) + size_t(child)], [&](size_t at) {
    if (first ? at == from : at > from && contains(opening(at, before), from))
      split = at;
  });
  if (split == SIZE_MAX)
    return false;
  buildChildren(before, from, split, children);
  children.push_back(build(child, split, to));
  return true;
}

} // namespace stretto::tasks
