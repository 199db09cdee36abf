// Reads grammars from files.
#include "tasks/lano/grammar.h"

#include "runtime/core/nearest.h"
#include "tasks/common/parameters.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace stretto::tasks {

namespace {

using Words = std::vector<std::string>;

// A symbol while its file is read; rules name symbols as the file does.
struct Definition {
  struct Alternative {
    Words children;
    int64_t line = 0;
  };
  std::string name;
  int64_t line = 0;
  std::vector<Alternative> rules;
};

// Lines first (definitions with names), then checks, then numbers.
class GrammarReader {
public:
  GrammarReader(std::string_view text, const std::string &origin) : text(text), origin(origin) {}

  Grammar read() {
    if (text.size() > Grammar::mostBytes)
      fail(1, "a grammar must have at most " + std::to_string(Grammar::mostBytes) + " bytes, but got more");
    readLines();
    checkSizes();
    indexSymbols();
    checkRules();
    number();
    checkUse();
    grammar.name = origin;
    measure();
    return std::move(grammar);
  }

private:
  [[noreturn]] void fail(int64_t line, const std::string &what) const {
    throw TaskError(origin + ":" + std::to_string(line) + ": " + what);
  }

  static std::string quote(const std::string &word) { return "'" + word + "'"; }

  static std::string join(const Words &words, const char *between) {
    std::string all;
    for (const std::string &word : words)
      all += (all.empty() ? "" : between) + word;
    return all;
  }

  [[noreturn]] void failLine(const Words &words, int64_t line) const {
    constexpr size_t most = 60;
    const std::string text = join(words, " ");
    fail(line, "a line must look like 'SYMBOL -> CHILDREN | CHILDREN', but got " +
                   quote(text.size() > most ? text.substr(0, most) + "..." : text));
  }

  // The words of a line, with "->" and "|" as words of their own.
  Words splitLine(std::string_view rest, int64_t line) const {
    Words words;
    std::string word;
    auto finish = [&] {
      if (word.size() > Grammar::mostCharacters)
        fail(line, "names must have at most " + std::to_string(Grammar::mostCharacters) + " characters, but got " +
                       std::to_string(word.size()));
      if (!word.empty())
        words.push_back(std::move(word));
      word.clear();
    };
    for (size_t i = 0; i < rest.size() && rest[i] != '#'; ++i) {
      char c = rest[i];
      bool arrow = rest.substr(i, 2) == "->";
      if (c == ' ' || c == '\t' || c == '\r') {
        finish();
      } else if (arrow || c == '|') {
        finish();
        words.emplace_back(arrow ? "->" : "|");
        i += arrow;
      } else if (c > ' ' && c < '\x7f') {
        word += c;
      } else {
        fail(line, "names must be printable ASCII characters, but got the byte " + std::to_string(uint8_t(c)));
      }
    }
    finish();
    return words;
  }

  void readLines() {
    int64_t line = 0;
    for (size_t from = 0; from <= text.size();) {
      size_t to = std::min(text.find('\n', from), text.size());
      Words words = splitLine(text.substr(from, to - from), ++line);
      from = to + 1;
      if (!words.empty())
        readStatement(words, line);
    }
    if (terminals.empty() || definitions.empty())
      fail(1, terminals.empty() ? "a grammar must open with 'terminals' and their names, but got none"
                                : "a grammar must have a symbol with rules, but got none");
  }

  void readStatement(const Words &words, int64_t line) {
    bool defines = words.size() > 1 && words[1] == "->";
    if (!defines && words[0] == "terminals")
      return readTerminals(words, line);
    if (terminals.empty())
      fail(line, "a grammar must open with 'terminals' and their names, but got " + quote(words[0]));
    if (!defines && words[0] == "published")
      return readPublished(words, line);
    if (words[0] == "|" && !definitions.empty())
      return readRules(words, 1, line);
    if (words[0] == "|" || words[0] == "->" || !defines)
      failLine(words, line);
    for (const Definition &other : definitions)
      if (other.name == words[0])
        fail(line, "the rules of a symbol must stand together, but got rules of " + quote(words[0]) +
                       " again after line " + std::to_string(other.line));
    definitions.push_back({words[0], line, {}});
    readRules(words, 2, line);
  }

  void readTerminals(const Words &words, int64_t line) {
    if (!terminals.empty())
      fail(line, "terminals must be named once, but got them again after line " + std::to_string(terminalLine));
    if (words.size() < 2)
      fail(line, "'terminals' must be followed by at least one name");
    if (words.size() - 1 > Grammar::mostSymbols)
      failSymbols(line, words.size() - 1);
    terminals.assign(words.begin() + 1, words.end());
    terminalLine = line;
    std::set<std::string> seen;
    for (const std::string &name : terminals) {
      if (name == "->" || name == "|")
        fail(line, "a terminal must have a name, but got " + quote(name));
      if (name == Grammar::opening)
        fail(line, "a terminal must not have the name of the token that opens a sentence, but got " + quote(name));
      if (!seen.insert(name).second)
        fail(line, "terminals must differ, but got " + quote(name) + " twice");
    }
  }

  void readPublished(const Words &words, int64_t line) {
    if (!grammar.published.empty())
      fail(line, "'published' must occur once");
    if (words.size() != terminals.size() + 2)
      fail(line, "'published' must give " + std::to_string(terminals.size() + 1) +
                     " numbers, of the end and of each terminal, but got " + std::to_string(words.size() - 1));
    for (const std::string &word : Words(words.begin() + 1, words.end())) {
      int32_t value = 0;
      auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size() || value < 0)
        fail(line, "a published number must be an integer in 0..2147483647, but got " + quote(word));
      if (std::ranges::find(grammar.published, value) != grammar.published.end())
        fail(line, "published numbers must differ, but got " + word + " twice");
      grammar.published.push_back(value);
    }
  }

  // Alternatives from words[at] on.
  void readRules(const Words &words, size_t at, int64_t line) {
    Definition &definition = definitions.back();
    for (;; ++at) {
      auto end = std::find(words.begin() + int64_t(at), words.end(), "|");
      Words children(words.begin() + int64_t(at), end);
      at += children.size();
      if (std::ranges::find(children, "->") != children.end())
        fail(line, "a line must define one symbol, but got a second '->'");
      if (children.empty() || children.size() > Grammar::mostChildren)
        fail(line, "a rule must have 1.." + std::to_string(Grammar::mostChildren) + " children, but got " +
                       std::to_string(children.size()) + " in rule " + std::to_string(definition.rules.size() + 1) +
                       " of " + quote(definition.name));
      if (++ruleCount > Grammar::mostRules)
        fail(line, "a grammar must have at most " + std::to_string(Grammar::mostRules) + " rules, but got more");
      for (const Definition::Alternative &other : definition.rules)
        if (other.children == children)
          fail(line, "the rules of a symbol must differ, but got " + quote(join(children, " ")) + " twice for " +
                         quote(definition.name) + ", first in line " + std::to_string(other.line));
      definition.rules.push_back({std::move(children), line});
      if (end == words.end())
        return;
    }
  }

  void checkSizes() const {
    if (size_t count = terminals.size() + definitions.size(); count > Grammar::mostSymbols)
      failSymbols(definitions.back().line, count);
  }

  [[noreturn]] void failSymbols(int64_t line, size_t count) const {
    fail(line, "a grammar must have at most " + std::to_string(Grammar::mostSymbols) + " symbols, but got " +
                   std::to_string(count));
  }

  // Positive: index of a definition + 1; negative: terminal -1-t.
  void indexSymbols() {
    for (size_t t = 0; t < terminals.size(); ++t)
      indices[terminals[t]] = -1 - int64_t(t);
    for (size_t d = 0; d < definitions.size(); ++d)
      if (!indices.emplace(definitions[d].name, int64_t(d) + 1).second)
        fail(definitions[d].line, "a terminal must have no rules, but got some for " + quote(definitions[d].name));
  }

  void checkRules() const {
    for (const Definition &definition : definitions)
      for (const Definition::Alternative &rule : definition.rules)
        for (const std::string &child : rule.children)
          if (!indices.contains(child)) {
            Words known;
            for (const auto &entry : indices)
              known.push_back(entry.first);
            fail(rule.line, "every symbol must have rules or be a terminal, but got " + quote(child) +
                                runtime::didYouMean(child, known));
          }
  }

  // Numbers non-terminals children first, from the root down, so that the root becomes the last.
  void number() {
    grammar.terminals = int32_t(terminals.size());
    grammar.names = terminals;
    grammar.rules.resize(terminals.size());
    numbers.resize(definitions.size(), -1);
    visit(0);
  }

  int32_t visit(size_t index) {
    const Definition &definition = definitions[index];
    if (numbers[index] >= 0)
      return numbers[index];
    path.push_back(index);
    std::vector<Grammar::Rule> rules;
    for (const Definition::Alternative &alternative : definition.rules) {
      Grammar::Rule rule;
      for (const std::string &child : alternative.children) {
        int64_t found = indices.at(child);
        if (found > 0)
          refuseCycle(size_t(found - 1), alternative.line);
        rule.push_back(found > 0 ? visit(size_t(found - 1)) : int32_t(-1 - found));
      }
      rules.push_back(std::move(rule));
    }
    path.pop_back();
    grammar.names.push_back(definition.name);
    grammar.rules.push_back(std::move(rules));
    return numbers[index] = grammar.root();
  }

  // `path` leads from the root to the symbol one of whose rules holds `child`.
  void refuseCycle(size_t child, int64_t line) const {
    auto start = std::ranges::find(path, child);
    if (start == path.end())
      return;
    Words cycle;
    for (; start != path.end(); ++start)
      cycle.push_back(definitions[*start].name);
    cycle.push_back(definitions[child].name);
    if (cycle.size() > 8)
      cycle.erase(cycle.begin() + 3, cycle.end() - 3), cycle.insert(cycle.begin() + 3, "...");
    fail(line, "rules must not lead from a symbol back to it, as sentences would have no longest one, but got " +
                   join(cycle, " -> "));
  }

  void checkUse() const {
    for (size_t d = 0; d < definitions.size(); ++d)
      if (numbers[d] < 0)
        fail(definitions[d].line, "every symbol must be reached from the root " + quote(definitions[0].name) +
                                      ", the first one of the file, but got " + quote(definitions[d].name));
    std::vector<bool> used(terminals.size());
    for (const std::vector<Grammar::Rule> &rules : grammar.rules)
      for (const Grammar::Rule &rule : rules)
        for (int32_t child : rule)
          if (child < grammar.terminals)
            used[size_t(child)] = true;
    for (size_t t = 0; t < terminals.size(); ++t)
      if (!used[t])
        fail(terminalLine, "every terminal must occur in a rule, but got " + quote(terminals[t]));
  }

  int64_t lineOf(int32_t symbol) const {
    return definitions[size_t(std::ranges::find(numbers, symbol) - numbers.begin())].line;
  }

  void measure() {
    grammar.shortest.assign(terminals.size(), 1);
    grammar.longest.assign(terminals.size(), 1);
    for (int32_t symbol = grammar.terminals; symbol < grammar.symbols(); ++symbol) {
      int64_t low = INT64_MAX, high = 0;
      for (const Grammar::Rule &rule : grammar.rules[symbol]) {
        int64_t least = 0, most = 0;
        for (int32_t child : rule) {
          least += grammar.shortest[child];
          most += grammar.longest[child];
        }
        low = std::min(low, least);
        high = std::max(high, most);
      }
      if (high > Grammar::mostTokens)
        fail(lineOf(symbol), "sentences must have at most " + std::to_string(Grammar::mostTokens) +
                                 " tokens, but got " + std::to_string(high) + " from " + quote(grammar.names[symbol]));
      grammar.shortest.push_back(low);
      grammar.longest.push_back(high);
    }
  }

  std::string_view text;
  const std::string &origin;
  Words terminals;
  int64_t terminalLine = 0;
  std::vector<Definition> definitions;
  size_t ruleCount = 0;
  std::map<std::string, int64_t> indices;
  std::vector<int32_t> numbers; // of each definition
  std::vector<size_t> path;     // definitions being numbered
  Grammar grammar;
};

} // namespace

Grammar readGrammar(std::string_view text, const std::string &origin) { return GrammarReader(text, origin).read(); }

} // namespace stretto::tasks
