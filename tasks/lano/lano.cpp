// Lano (hierarchical language): sentences of a layered context-free grammar.
#include "tasks/lano/lano.h"

#include "tasks/lano/parser.h"

namespace stretto::tasks {

const std::vector<ParameterInfo> &LanoTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      ParameterInfo::text("grammar", "cfg3f", "a grammar by its name, or the path of a file with one"),
      {"length", 512, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

LanoTask::LanoTask(Parameters values) : PackedTask(values, 0), grammar(findGrammar(parameters.word("grammar"))) {
  checkLength();
}

// A sequence of `length` inputs holds length+1 tokens, among them <begin> and the end, which leaves length-1.
void LanoTask::checkLength() const {
  constexpr double cut = 1e-5;
  const int64_t longest = grammar.longest[grammar.root()];
  if (longest < length())
    return;
  const std::vector<double> lengths = grammar.lengthDistribution();
  double beyond = 0; // the probability of more than `fits` tokens
  int64_t fits = longest;
  while (beyond + lengths[fits] <= cut)
    beyond += lengths[fits--];
  if (fits >= length())
    parameters.refuse("length", "must be at least " + std::to_string(fits + 1) +
                                    " for all but one in 100,000 sentences of '" + grammar.name + "' to fit (" +
                                    std::to_string(longest + 1) + " for the longest possible one, of " +
                                    std::to_string(longest) + " tokens), but got " + std::to_string(length()));
}

void LanoTask::append(Random &random, runtime::Stream, Row &row) const {
  row.add(begin, !row.tokens.empty());
  const size_t from = row.tokens.size();
  do {
    row.tokens.resize(from);
    grammar.derive(grammar.root(), random, firstTerminal, row.tokens);
  } while (int64_t(row.tokens.size() - from) >= length());
  row.counted.resize(row.tokens.size(), true);
}

std::vector<int32_t> LanoTask::terminalsOf(std::span<const int32_t> tokens) {
  std::vector<int32_t> symbols;
  for (int32_t token : tokens)
    symbols.push_back(token - firstTerminal);
  return symbols;
}

// A derivation in one line: "S(A(1 2) B(3))".
static std::string oneLine(const Grammar &grammar, const Parser::Tree &tree) {
  std::string text = grammar.names[tree.symbol];
  for (size_t i = 0; i < tree.children.size(); ++i)
    text.append(i ? " " : "(").append(oneLine(grammar, tree.children[i]));
  return text + (tree.children.empty() ? "" : ")");
}

// A derivation over as many lines as it takes, deeper parts further to the right.
static void print(const Grammar &grammar, const Parser::Tree &tree, size_t indent, std::string &text) {
  constexpr size_t width = 100;
  const std::string line = oneLine(grammar, tree);
  const bool fits = indent + line.size() <= width || tree.children.empty();
  text.append(indent, ' ').append(fits ? line : grammar.names[tree.symbol]).append("\n");
  if (!fits)
    for (const Parser::Tree &child : tree.children)
      print(grammar, child, indent + 2, text);
}

std::string LanoTask::describeInstance(std::span<const int32_t> tokens) const {
  const std::vector<int32_t> terminals = terminalsOf(tokens.subspan(1));
  Parser parser(grammar);
  const bool whole = parser.accepts(terminals);
  std::string text = std::to_string(terminals.size()) + " tokens" + (whole ? ":" : ", cut by the end of the sequence:");
  for (int32_t terminal : terminals)
    text.append(" ").append(grammar.names[terminal]);
  text += "\n";
  if (whole)
    print(grammar, parser.parse(terminals), 2, text);
  return text;
}

} // namespace stretto::tasks
