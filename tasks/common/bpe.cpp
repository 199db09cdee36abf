// Byte-level pair encoding with the files that GPT-2's tokenizer is published as.
#include "tasks/common/bpe.h"

#include "runtime/core/utf8.h"
#include "tasks/common/digest.h"
#include "tasks/common/files.h"
#include "tasks/common/parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

namespace stretto::tasks {

// The byte that a letter of the files stands for. Bytes that print stand for themselves; the others are written as the
// letters from U+0100 on, in order.
static std::optional<char> byteOf(uint32_t letter) {
  static const std::unordered_map<uint32_t, char> bytes = [] {
    std::unordered_map<uint32_t, char> all;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool prints = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
      all[prints ? byte : next++] = char(byte);
    }
    return all;
  }();
  auto found = bytes.find(letter);
  return found == bytes.end() ? std::nullopt : std::optional(found->second);
}

// One letter of UTF-8 below U+0800, the only ones the files have; taken from the front of `text`.
static std::optional<char> takeByte(std::string_view &text) {
  const uint32_t lead = uint8_t(text[0]);
  const bool two = (lead & 0xe0) == 0xc0 && text.size() > 1 && (uint8_t(text[1]) & 0xc0) == 0x80;
  if (lead >= 0x80 && !two)
    return std::nullopt;
  const uint32_t letter = two ? (lead & 0x1f) << 6 | (uint8_t(text[1]) & 0x3f) : lead;
  text.remove_prefix(two ? 2 : 1);
  return byteOf(letter);
}

static std::optional<std::string> toBytes(std::string_view letters) {
  std::string bytes;
  while (!letters.empty()) {
    std::optional<char> byte = takeByte(letters);
    if (!byte)
      return std::nullopt;
    bytes += *byte;
  }
  return bytes;
}

namespace {

// Reads {"token": id, ...}.
class ObjectReader {
public:
  ObjectReader(std::string_view text, const std::string &path) : text(text), path(path) {}

  template <typename F> void read(F visit) {
    expect('{');
    for (bool more = peek() != '}'; more;) {
      const size_t place = (peek(), at);
      std::string token = readString();
      expect(':');
      const int32_t id = readId();
      more = peek() == ',';
      if (!more && peek() != '}')
        fail(at, "after an id must stand ',' or '}'" + butGot());
      visit(std::move(token), id, place);
      at += more;
    }
    expect('}');
    if (peek() != 0 || at < text.size())
      fail(at, "the file must end after the object" + butGot());
  }

  [[noreturn]] void fail(size_t place, const std::string &what) const {
    const std::string_view before = text.substr(0, place);
    const size_t line = size_t(std::ranges::count(before, '\n')) + 1, column = place - (before.rfind('\n') + 1) + 1;
    throw TaskError(path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what);
  }

private:
  // The next sign that is no white space; 0 at the end.
  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
      ++at;
    return at < text.size() ? text[at] : 0;
  }

  void expect(char sign) {
    if (peek() != sign)
      fail(at, std::string("here must stand '") + sign + "'" + butGot());
    ++at;
  }

  // What stands at the place: a word, a sign, or the number of a byte that does not print.
  std::string butGot() const {
    if (at == text.size())
      return ", but got the end of the file";
    const auto isWord = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.'; };
    size_t end = at;
    while (end < std::min(text.size(), at + 20) && isWord(text[end]))
      ++end;
    if (text[at] > ' ' && text[at] < 0x7f)
      return ", but got '" + std::string(text.substr(at, std::max<size_t>(end - at, 1))) + "'";
    return ", but got the byte " + std::to_string(uint8_t(text[at]));
  }

  std::string readString() {
    expect('"');
    const size_t from = at;
    std::string bytes;
    while (at < text.size() && text[at] != '"') {
      std::optional<char> byte = text[at] == '\\' ? readEscape() : takeLetter();
      if (!byte)
        fail(at, "a token must be written in letters that stand for bytes" + butGot());
      bytes += *byte;
    }
    if (at == text.size())
      fail(from, "a token must end with '\"'" + butGot());
    if (at == from)
      fail(from, "a token must not be empty");
    ++at;
    return bytes;
  }

  std::optional<char> takeLetter() {
    std::string_view rest = text.substr(at);
    std::optional<char> byte = takeByte(rest);
    if (byte)
      at = text.size() - rest.size();
    return byte;
  }

  std::optional<char> readEscape() {
    const char kind = at + 1 < text.size() ? text[at + 1] : 0;
    if (kind == '"' || kind == '\\' || kind == '/') {
      at += 2;
      return kind;
    }
    uint32_t letter = 0;
    const char *digits = text.data() + at + 2;
    if (kind != 'u' || at + 6 > text.size() || std::from_chars(digits, digits + 4, letter, 16).ptr != digits + 4)
      return std::nullopt;
    std::optional<char> byte = byteOf(letter);
    if (byte)
      at += 6;
    return byte;
  }

  int32_t readId() {
    peek();
    int32_t id = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), id);
    if (error != std::errc() || id < 0)
      fail(at, "an id must be a number from 0 to 2147483647" + butGot());
    at = size_t(end - text.data());
    return id;
  }

  std::string_view text;
  const std::string &path;
  size_t at = 0;
};

} // namespace

Bpe::Bpe(const std::string &directory) : directory(directory) {
  const std::string vocabulary = readTextFile(directory + "/vocab.json");
  read(vocabulary, readTextFile(directory + "/merges.txt"));
}

Bpe::Bpe(std::string_view vocabulary, std::string_view merges, const std::string &directory) : directory(directory) {
  read(vocabulary, merges);
}

void Bpe::read(std::string_view vocabulary, std::string_view merges) {
  ofFiles = digestText(digestOf(merges, digestOf(vocabulary)));
  readVocabulary(vocabulary, directory + "/vocab.json");
  readMerges(merges, directory + "/merges.txt");
}

void Bpe::readVocabulary(std::string_view text, const std::string &path) {
  std::unordered_set<int32_t> seen;
  ObjectReader reader(text, path);
  reader.read([&](std::string token, int32_t id, size_t place) {
    if (!ids.try_emplace(std::move(token), id).second)
      reader.fail(place, "a token must occur once, but this one stood above");
    if (!seen.insert(id).second)
      reader.fail(place, "an id must occur once, but got " + std::to_string(id) + " again");
  });
}

static std::string pairKey(std::string_view first, std::string_view second) {
  return std::to_string(first.size()).append(" ").append(first).append(second);
}

void Bpe::readMerges(std::string_view text, const std::string &path) {
  int64_t number = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    std::string_view line = text.substr(from, end - from);
    from = end + 1;
    ++number;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version")))
      continue;
    auto fail = [&](const std::string &what) { throw TaskError(path + ":" + std::to_string(number) + ": " + what); };
    const size_t space = line.find(' ');
    auto first = toBytes(line.substr(0, space)), second = toBytes(space == line.npos ? "" : line.substr(space + 1));
    if (!first || !second || first->empty() || second->empty())
      fail("a merge must be two tokens with a space between them, but got '" + runtime::printable(line) + "'");
    if (!ids.contains(*first + *second))
      fail("a merge must make a token of vocab.json, but got '" + runtime::printable(line) + "'");
    if (auto [found, isNew] = ranks.try_emplace(pairKey(*first, *second), number); !isNew)
      fail("a merge must occur once, but got '" + runtime::printable(line) + "' also in line " +
           std::to_string(found->second));
  }
}

std::vector<std::string> Bpe::split(std::string_view piece) const {
  std::vector<std::string> tokens;
  for (char byte : piece)
    tokens.emplace_back(1, byte);
  while (true) {
    size_t best = tokens.size();
    int64_t bestRank = INT64_MAX;
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (auto rank = ranks.find(pairKey(tokens[i], tokens[i + 1])); rank != ranks.end() && rank->second < bestRank) {
        best = i;
        bestRank = rank->second;
      }
    if (best == tokens.size())
      break;
    tokens[best] += tokens[best + 1];
    tokens.erase(tokens.begin() + int64_t(best) + 1);
  }
  for (const std::string &token : tokens)
    if (id(token) < 0)
      throw TaskError("vocabulary '" + directory + "' must hold a token for byte " + std::to_string(uint8_t(token[0])) +
                      " of '" + std::string(piece) + "'");
  return tokens;
}

int32_t Bpe::id(const std::string &token) const {
  auto found = ids.find(token);
  return found == ids.end() ? -1 : found->second;
}

} // namespace stretto::tasks
