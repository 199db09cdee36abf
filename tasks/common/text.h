// Text as tokens: a word with the space before it is one token, so tokens joined are the text again.
#pragma once

#include "tasks/common/bpe.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stretto::tasks {

// Cuts text into the pieces that GPT-2's tokenizer starts from: the endings 's 't 're 've 'm 'll 'd; then runs of
// letters, of numbers, or of other signs, as Unicode has them, each with one space before it where there is one; then
// runs of white space. Joined in order the pieces are the text.
std::vector<std::string_view> splitPieces(std::string_view text);

// Tokens by their text. Ids count up from `first`; the ids below are the task's own.
class Vocabulary {
public:
  // With a tokenizer its tokens are used, those that occur; else a piece is a token.
  explicit Vocabulary(int32_t first, std::shared_ptr<const Bpe> bpe = nullptr) : first(first), bpe(std::move(bpe)) {}

  // The tokens of a text; those not met before are added.
  std::vector<int32_t> encode(std::string_view text);

  // Ids are 0 .. size()-1.
  int32_t size() const { return first + int32_t(texts.size()); }
  // The text of a token that is none of the task's own.
  const std::string &text(int32_t id) const { return texts[id - first]; }
  // What a token says: its text, or "begin" for the task's own.
  std::string meaning(int32_t id) const { return id < first ? "begin" : text(id); }
  // The same as a text can show it, which holds the task's own as marks.
  std::string shown(int32_t id) const { return id < first ? std::string(ownMark) : text(id); }
  // The tokens of a tokenizer that a text, which ends in a space, is cut into, and the marks of the task's own; none
  // without a tokenizer.
  std::vector<std::string> cut(std::string_view text) const;
  // Tokens joined; the task's own have no text.
  std::string join(std::span<const int32_t> tokens) const;

private:
  static constexpr std::string_view ownMark = " <begin>";

  int32_t add(std::string text);
  bool knows(std::string_view piece) const;
  size_t knownEnd(std::string_view text) const;

  int32_t first;
  std::shared_ptr<const Bpe> bpe;
  std::vector<std::string> texts;
  std::unordered_map<std::string, int32_t> ids;
};

// Token sequences, one for each entry of a list, without an allocation each.
class TokenTable {
public:
  void add(std::span<const int32_t> entry) {
    tokens.insert(tokens.end(), entry.begin(), entry.end());
    offsets.push_back(tokens.size());
  }
  std::span<const int32_t> operator[](size_t i) const {
    return std::span(tokens).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  size_t size() const { return offsets.size() - 1; }

private:
  std::vector<int32_t> tokens;
  std::vector<size_t> offsets = {0};
};

} // namespace stretto::tasks
