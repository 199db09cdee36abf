// Text as tokens: a word with the space before it is one token, so tokens joined are the text again.
#include "tasks/common/text.h"

#include "tasks/common/characters.h"

#include <algorithm>
#include <iterator>

namespace stretto::tasks {

static size_t runEnd(std::string_view text, size_t from, CharacterKind kind) {
  while (from < text.size()) {
    const Character next = firstCharacter(text.substr(from));
    if (next.kind != kind)
      break;
    from += next.bytes;
  }
  return from;
}

// White space alone leaves its last character to the word that follows.
static size_t spaceEnd(std::string_view text, size_t from) {
  size_t last = from, end = from;
  while (end < text.size() && firstCharacter(text.substr(end)).kind == CharacterKind::Space) {
    last = end;
    end += firstCharacter(text.substr(end)).bytes;
  }
  return end == text.size() || last == from ? end : last;
}

static size_t pieceEnd(std::string_view text, size_t from) {
  for (std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.substr(from).starts_with(ending))
      return from + ending.size();
  const size_t begin = text[from] == ' ' && from + 1 < text.size() ? from + 1 : from;
  const CharacterKind kind = firstCharacter(text.substr(begin)).kind;
  return kind == CharacterKind::Space ? spaceEnd(text, from) : runEnd(text, begin, kind);
}

// Where a piece of signs can end, the longest first; of others their end alone.
static std::vector<size_t> signEnds(std::string_view piece) {
  std::vector<size_t> ends;
  for (size_t at = piece.starts_with(' '); at < piece.size(); ends.push_back(at)) {
    const Character next = firstCharacter(piece.substr(at));
    if (next.kind != CharacterKind::Sign)
      return {piece.size()};
    at += next.bytes;
  }
  std::ranges::reverse(ends);
  return ends;
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

bool Vocabulary::knows(std::string_view piece) const {
  return std::ranges::all_of(bpe->split(piece), [&](const std::string &token) { return ids.contains(token); });
}

// The end of the piece that a text opens with. Signs that are not tokens of the task, or after which none follows, may
// be of several texts that were cut one by one: the most that are.
size_t Vocabulary::knownEnd(std::string_view text) const {
  const size_t end = pieceEnd(text, 0);
  size_t most = 0;
  for (size_t to : signEnds(text.substr(0, end))) {
    if (!knows(text.substr(0, to)))
      continue;
    if (to == text.size() || knows(text.substr(to, pieceEnd(text, to) - to)))
      return to;
    most = std::max(most, to);
  }
  return most ? most : end;
}

std::vector<std::string> Vocabulary::cut(std::string_view text) const {
  std::vector<std::string> parts;
  if (!bpe)
    return parts;
  text.remove_suffix(text.ends_with(' '));
  while (!text.empty()) {
    const size_t mark = std::min(text.find(ownMark), text.size());
    for (std::string_view rest = text.substr(0, mark); !rest.empty();) {
      const size_t end = knownEnd(rest);
      std::ranges::move(bpe->split(rest.substr(0, end)), std::back_inserter(parts));
      rest.remove_prefix(end);
    }
    if (mark < text.size())
      parts.emplace_back(ownMark);
    text.remove_prefix(std::min(mark + ownMark.size(), text.size()));
  }
  return parts;
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
