// Text that facts are hidden in: runs of sentences out of a file, or of a small grammar.
#pragma once

#include "tasks/common/parameters.h"
#include "tasks/common/random.h"
#include "tasks/common/text.h"

#include <memory>

namespace stretto::tasks {

// Consecutive sentences: tokens, and where each sentence ends.
struct Sentences {
  std::vector<int32_t> tokens;
  std::vector<int64_t> ends;
};

class Filler {
public:
  virtual ~Filler() = default;
  // Sentences of at most `most` tokens together: a run ends before the first sentence that does not fit.
  virtual Sentences draw(Random &random, int64_t most) const = 0;
  // Tokens of the shortest sentence.
  virtual int64_t shortest() const = 0;
  // The digest of the file; empty where there is none.
  virtual std::string digest() const { return ""; }
};

// Runs of neighbouring sentences of a file, the first one uniform; the end of the file ends a run as well. White space
// counts as single spaces. A sentence ends at . ! or ?, closing quotes and brackets included, before a space, and at
// the end of the file. Throws TaskError for a file that cannot be read, holds a zero byte, no words, or more than 2^20
// different ones.
std::unique_ptr<Filler> makeTextFiller(const std::string &path, Vocabulary &words);

// Sentences about animals, people of a trade and things, without numbers and names.
std::unique_ptr<Filler> makeGrammarFiller(Vocabulary &words);

} // namespace stretto::tasks
