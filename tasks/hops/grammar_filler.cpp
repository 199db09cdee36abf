// What stands between facts: sentences from patterns of words.
#include "tasks/hops/filler.h"

#include <algorithm>
#include <array>

namespace stretto::tasks {

namespace {

// What the patterns are made of: capital letters stand for a word of a kind.
enum Kind : uint8_t { Adjective, Noun, Verb, Place, Time, kindCount };

constexpr std::string_view letters = "ANVPT";

const std::array<std::vector<const char *>, kindCount> words = {{
    {"old",     "young",  "quiet",  "clever", "patient",  "hungry", "curious",  "lazy",
     "proud",   "gentle", "brave",  "weary",  "cheerful", "shy",    "stubborn", "famous",
     "careful", "lonely", "polite", "sleepy", "small",    "tall",   "busy",     "honest"},
    {"baker",      "fox",       "teacher",  "sailor",   "farmer",   "heron",      "carpenter", "child",
     "painter",    "dog",       "weaver",   "captain",  "gardener", "owl",        "miller",    "doctor",
     "singer",     "goat",      "merchant", "tailor",   "shepherd", "horse",      "librarian", "cook",
     "clockmaker", "fisherman", "neighbor", "traveler", "poet",     "blacksmith", "crow",      "widow"},
    {"watched", "greeted", "followed", "helped",  "found",     "visited", "remembered", "called", "met",    "thanked",
     "painted", "feared",  "admired",  "avoided", "surprised", "taught",  "trusted",    "heard",  "missed", "praised"},
    {"by the river", "in the market", "behind the mill", "at the harbor", "under the bridge", "in the forest",
     "on the hill", "near the well", "at the gate", "in the garden", "beside the road", "in the old barn",
     "at the edge of the village", "on the frozen lake", "in the library", "below the tower"},
    {"in the morning", "at noon", "before dawn", "after the rain", "in winter", "during the festival", "one evening",
     "every autumn", "late at night", "on market day", "in early spring", "when the bells rang"},
}};

constexpr const char *patterns[] = {
    "The A N V the N P.",
    "The N V the A N T.",
    "One N V the N.",
    "Nobody knew why the N V the A N.",
    "The N and the N often met P.",
    "T, the A N slept P.",
    "The A N and the A N V the N T.",
    "Everyone knew the A N P.",
    "The N was A, but the N was A too.",
    "P, the N V the A N.",
};

class GrammarFiller final : public Filler {
public:
  explicit GrammarFiller(Vocabulary &vocabulary) {
    for (std::string_view pattern : patterns)
      compile(pattern, vocabulary);
    for (size_t p = 0; p < compiled.size(); ++p) {
      int64_t length = 0;
      for (const Part &part : compiled[p]) {
        int64_t shortestPart = INT64_MAX;
        for (size_t i = 0; i < tables[part.table].size(); ++i)
          shortestPart = std::min(shortestPart, int64_t(tables[part.table][i].size()));
        length += shortestPart;
      }
      least = std::min(least, length);
    }
  }

  Sentences draw(Random &random, int64_t most) const override {
    Sentences run;
    while (true) {
      const size_t before = run.tokens.size();
      for (const Part &part : compiled[random.below(compiled.size())]) {
        const TokenTable &table = tables[part.table];
        std::span<const int32_t> word = table[random.below(table.size())];
        run.tokens.insert(run.tokens.end(), word.begin(), word.end());
      }
      if (int64_t(run.tokens.size()) > most) {
        run.tokens.resize(before);
        return run;
      }
      run.ends.push_back(int64_t(run.tokens.size()));
    }
  }

  int64_t shortest() const override { return least; }

private:
  // One of the entries of a table.
  struct Part {
    size_t table;
  };

  static bool isKind(std::string_view word) { return word.size() == 1 && letters.find(word[0]) != letters.npos; }

  // Words of a pattern, each with the signs after it; a word of a kind that opens a sentence has a capital letter.
  void compile(std::string_view pattern, Vocabulary &vocabulary) {
    std::vector<Part> parts;
    for (size_t from = 0; from < pattern.size();) {
      size_t end = std::min(pattern.find(' ', from), pattern.size());
      std::string_view word = pattern.substr(from, end - from);
      std::string_view sign = word.back() == '.' || word.back() == ',' ? word.substr(word.size() - 1) : "";
      word.remove_suffix(sign.size());
      parts.push_back({isKind(word) ? addKind(Kind(letters.find(word[0])), from == 0, vocabulary)
                                    : addWord(std::string(" ").append(word), vocabulary)});
      if (!sign.empty())
        parts.push_back({addWord(std::string(sign), vocabulary)});
      from = end + 1;
    }
    compiled.push_back(std::move(parts));
  }

  size_t addWord(const std::string &word, Vocabulary &vocabulary) {
    TokenTable table;
    table.add(vocabulary.encode(word));
    tables.push_back(std::move(table));
    return tables.size() - 1;
  }

  size_t addKind(Kind kind, bool capital, Vocabulary &vocabulary) {
    TokenTable table;
    for (std::string word : words[kind]) {
      if (capital)
        word[0] = char(word[0] - 'a' + 'A');
      table.add(vocabulary.encode(std::string(" ").append(word)));
    }
    tables.push_back(std::move(table));
    return tables.size() - 1;
  }

  std::vector<TokenTable> tables;
  std::vector<std::vector<Part>> compiled;
  int64_t least = INT64_MAX;
};

} // namespace

std::unique_ptr<Filler> makeGrammarFiller(Vocabulary &vocabulary) {
  return std::make_unique<GrammarFiller>(vocabulary);
}

} // namespace stretto::tasks
