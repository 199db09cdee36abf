// Text as tokens: a word with the space before it is one token, so tokens joined are the text again.
#include "tasks/common/text.h"

namespace stretto::tasks {

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || uint8_t(c) >= 0x80; }
static bool isSign(char c) { return !isSpace(c) && !isDigit(c) && !isLetter(c); }

template <typename Is> static size_t run(std::string_view text, size_t from, Is is) {
  while (from < text.size() && is(text[from]))
    ++from;
  return from;
}

// The end of a run of letters, digits or signs at `from`.
static size_t wordEnd(std::string_view text, size_t from) {
  char c = text[from];
  return isLetter(c) ? run(text, from, isLetter) : isDigit(c) ? run(text, from, isDigit) : run(text, from, isSign);
}

static size_t pieceEnd(std::string_view text, size_t from) {
  for (std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.substr(from).starts_with(ending))
      return from + ending.size();
  if (!isSpace(text[from]))
    return wordEnd(text, from);
  if (text[from] == ' ' && from + 1 < text.size() && !isSpace(text[from + 1]))
    return wordEnd(text, from + 1);
  // White space alone leaves its last sign to the word that follows.
  size_t end = run(text, from, isSpace);
  return end == text.size() || end == from + 1 ? end : end - 1;
}

std::vector<std::string_view> splitPieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (size_t from = 0; from < text.size();) {
    size_t end = pieceEnd(text, from);
    pieces.push_back(text.substr(from, end - from));
    from = end;
  }
  return pieces;
}

std::vector<int32_t> Vocabulary::encode(std::string_view text) {
  std::vector<int32_t> tokens;
  for (std::string_view piece : splitPieces(text)) {
    if (!bpe)
      tokens.push_back(add(std::string(piece)));
    else
      for (std::string &token : bpe->split(piece))
        tokens.push_back(add(std::move(token)));
  }
  return tokens;
}

int32_t Vocabulary::add(std::string text) {
  auto [found, added] = ids.try_emplace(std::move(text), size());
  if (added)
    texts.push_back(found->first);
  return found->second;
}

std::string Vocabulary::join(std::span<const int32_t> tokens) const {
  std::string joined;
  for (int32_t token : tokens)
    if (token >= first)
      joined += text(token);
  return joined;
}

} // namespace stretto::tasks
