#include "tasks/lano/lano.h"

namespace stretto {

const std::vector<ParameterInfo> &LanoTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      ParameterInfo::text("grammar", "cfg3f", "a grammar by its name, or the path of a file with one"),
      {"length", 512, 1, 1 << 24, "tokens in a row"},
  };
  return infos;
}

LanoTask::LanoTask(Parameters values) : PackedTask(values, 0), grammar(findGrammar(parameters.word("grammar"))) {
  checkLength();
}

// A row of `length` inputs holds length+1 tokens, among them <begin> and the end, which leaves length-1.
void LanoTask::checkLength() const {
  constexpr double cut = 0.001;
  const int64_t longest = grammar.longest[grammar.root()];
  if (longest < length())
    return;
  const std::vector<double> lengths = grammar.lengthDistribution();
  double beyond = 0; // the probability of more than `fits` tokens
  int64_t fits = longest;
  while (beyond + lengths[fits] <= cut)
    beyond += lengths[fits--];
  if (fits >= length())
    parameters.fail("parameter 'length' must be at least " + std::to_string(fits + 1) +
                    " for 999 of 1000 sentences of '" + grammar.name + "' to fit (" + std::to_string(longest + 1) +
                    " for the longest possible one, of " + std::to_string(longest) + " tokens), but got " +
                    std::to_string(length()));
}

void LanoTask::append(Random &random, Stream, Row &row) const {
  row.add(begin, !row.tokens.empty());
  const size_t from = row.tokens.size();
  do {
    row.tokens.resize(from);
    grammar.derive(grammar.root(), random, firstTerminal, row.tokens);
  } while (int64_t(row.tokens.size() - from) >= length());
  row.counted.resize(row.tokens.size(), true);
}

std::string LanoTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string text = std::to_string(tokens.size() - 1) + " tokens:";
  for (int32_t token : tokens.subspan(1))
    text.append(" ").append(grammar.names[token - firstTerminal]);
  return text + "\n";
}

} // namespace stretto
