// Context-free grammars without recursion, whose rules are chosen uniformly among those of a symbol.
#include "tasks/lano/grammar.h"

#include "runtime/core/nearest.h"
#include "tasks/common/digest.h"
#include "tasks/common/files.h"
#include "tasks/common/parameters.h"
#include "tasks/lano/embedded_grammars.h"

#include <filesystem>

namespace stretto::tasks {

void Grammar::derive(int32_t symbol, Random &random, int32_t shift, std::vector<int32_t> &out) const {
  const std::vector<Rule> &choices = rules[symbol];
  const Rule &rule = choices[choices.size() == 1 ? 0 : random.below(choices.size())];
  for (int32_t child : rule) {
    if (child < terminals)
      out.push_back(child + shift);
    else
      derive(child, random, shift, out);
  }
}

// The distribution of the sum of two independent lengths.
static std::vector<double> convolve(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> sum(a.size() + b.size() - 1);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0)
      for (size_t j = 0; j < b.size(); ++j)
        sum[i + j] += a[i] * b[j];
  return sum;
}

std::vector<double> Grammar::lengthDistribution() const {
  std::vector<std::vector<double>> lengths(symbols());
  for (int32_t symbol = 0; symbol < symbols(); ++symbol) {
    std::vector<double> &all = lengths[symbol];
    all.resize(size_t(longest[symbol]) + 1);
    if (symbol < terminals)
      all[1] = 1;
    for (const Rule &rule : rules[symbol]) {
      std::vector<double> sum = {1};
      for (int32_t child : rule)
        sum = convolve(sum, lengths[child]);
      for (size_t n = 0; n < sum.size(); ++n)
        all[n] += sum[n] / double(rules[symbol].size());
    }
  }
  return lengths[root()];
}

std::vector<std::string> grammarNames() {
  std::vector<std::string> names;
  for (const EmbeddedGrammar &grammar : embeddedGrammars)
    names.emplace_back(grammar.name);
  return names;
}

Grammar findGrammar(const std::string &nameOrPath) {
  for (const EmbeddedGrammar &embedded : embeddedGrammars)
    if (embedded.name == nameOrPath)
      return readGrammar(embedded.text, nameOrPath);
  if (std::error_code none; !std::filesystem::exists(nameOrPath, none))
    throw TaskError("no grammar and no file is called '" + nameOrPath + "'" +
                    runtime::suggestName(nameOrPath, grammarNames()));
  const MappedFile file(nameOrPath);
  Grammar grammar = readGrammar({reinterpret_cast<const char *>(file.bytes().data()), file.bytes().size()}, nameOrPath);
  grammar.digest = digestText(digestOf(file.bytes()));
  return grammar;
}

} // namespace stretto::tasks
