// Names of nodes as tokens, for tasks on graphs.
#include "tasks/common/names.h"

#include <numeric>

namespace stretto::tasks {

std::vector<ParameterInfo> Names::parameterInfos(int64_t v, int64_t rMin, int64_t rMax) {
  return {
      {"v", v, 1, mostLetters, "letters of the alphabet names are written in"},
      {"r_min", rMin, 1, 32, "fewest letters of a name"},
      {"r_max", rMax, 1, 32, "most letters of a name"},
  };
}

static Words makeWords(const Parameters &values) {
  int64_t v = values["v"], rMin = values["r_min"], rMax = values["r_max"];
  if (rMax < rMin)
    values.refuse("r_max", "must be at least r_min=" + std::to_string(rMin) + ", but got " + std::to_string(rMax));
  if (!Words::fits(v, rMax))
    values.fail("parameters must keep v^r_max below 2^62, but got v=" + std::to_string(v) +
                ", r_max=" + std::to_string(rMax));
  Words words(v, rMin, rMax);
  if (words.count() < uint64_t(values["n"]))
    values.refuse("n", "must be at most " + std::to_string(words.count()) +
                           ", the number of names that v, r_min and r_max allow, but got " +
                           std::to_string(values["n"]));
  return words;
}

Names::Names(const Parameters &values, int32_t first)
    : v(int32_t(values["v"])), words(makeWords(values)), inner(first), last(first + (values["r_max"] > 1 ? v : 0)) {}

void Names::add(uint64_t name, Row &row, bool counts) const {
  size_t from = row.tokens.size();
  words.letters(name, row.tokens);
  for (size_t i = from; i < row.tokens.size(); ++i)
    row.tokens[i] += i + 1 < row.tokens.size() ? inner : last;
  row.counted.resize(row.tokens.size(), counts);
}

std::span<const int32_t> Names::take(std::span<const int32_t> &tokens) const {
  size_t size = 0;
  while (size < tokens.size() && isLetter(tokens[size]))
    if (endsName(tokens[size++]))
      break;
  auto name = tokens.first(size);
  tokens = tokens.subspan(size);
  return name;
}

std::string Names::shown(int32_t token) const {
  const int32_t letter = letterOf(token);
  return v <= 26 ? std::string(1, char('a' + letter)) : std::to_string(letter + 1);
}

std::string Names::text(std::span<const int32_t> name) const {
  std::string text;
  for (int32_t token : name)
    text.append(text.empty() || v <= 26 ? "" : ".").append(shown(token));
  return name.empty() || !endsName(name.back()) ? text + "..." : text;
}

std::string Names::letterText(int32_t token) const {
  return shown(token) + (endsName(token) ? " " : v <= 26 ? "" : ".");
}

std::string Names::meaning(int32_t token) const {
  return (endsName(token) ? "last letter " : "letter ") + std::to_string(letterOf(token) + 1);
}

void Names::publish(std::span<int32_t> ids, int32_t numberOfLast) const {
  std::iota(ids.begin() + inner, ids.begin() + last, 1);
  std::iota(ids.begin() + last, ids.begin() + end(), numberOfLast);
}

} // namespace stretto::tasks
