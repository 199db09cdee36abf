// Byte-level pair encoding with the files that GPT-2's tokenizer is published as.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stretto::tasks {

// The tokens of a tokenizer and how pieces of text are merged into them (R. Sennrich et al.: "Neural machine
// translation of rare words with subword units", 2016). Texts are plain bytes here; the files write each byte as a
// letter of its own.
class Bpe {
public:
  // Reads vocab.json (an object of tokens and ids) and merges.txt (a line of two tokens for each merge, the first merge
  // first) of a directory. Throws TaskError, with the line, for files that are missing or malformed, tokens or ids
  // that occur twice, and merges that make no token.
  explicit Bpe(const std::string &directory);
  // The same from the texts of these files; the directory is for messages.
  Bpe(std::string_view vocabulary, std::string_view merges, const std::string &directory);

  // A piece (see splitPieces) cut into tokens: from single bytes on, the earliest merge among all neighbours is made
  // until none is left. Throws TaskError where a byte has no token.
  std::vector<std::string> split(std::string_view piece) const;

  // The id of a token in vocab.json; -1 where there is none.
  int32_t id(const std::string &token) const;

  // The digest of both files.
  std::string digest() const { return ofFiles; }

private:
  void read(std::string_view vocabulary, std::string_view merges);
  void readVocabulary(std::string_view text, const std::string &path);
  void readMerges(std::string_view text, const std::string &path);

  std::string directory, ofFiles;
  std::unordered_map<std::string, int32_t> ids;
  std::unordered_map<std::string, int64_t> ranks; // of "first second"; with the length of the first before it
};

} // namespace stretto::tasks
