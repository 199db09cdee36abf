// Reading TOML that may come from strangers, and writing it.
#include "runtime/train/toml.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

// Each part of a dotted key is a table in a table, and the library builds and frees them by recursion.
constexpr int mostParts = 16;

// Finds keys of more parts. Knows of TOML where strings and comments end, and what stands between the parts of a key.
class KeyScan {
public:
  explicit KeyScan(std::string_view text) : text(text) {}

  // The line of the first such key, 0 where there is none.
  int64_t longKey() {
    while (at < text.size()) {
      const char c = text[at];
      if (c == '"' || c == '\'')
        skipString(c);
      else if (c == '#')
        at = std::min(text.find('\n', at), text.size());
      else
        take(c);
      if (parts > mostParts)
        return 1 + std::count(text.begin(), text.begin() + int64_t(at), '\n');
    }
    return 0;
  }

private:
  void take(char c) {
    if (c == '.')
      ++parts;
    else if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != ' ' && c != '\t')
      parts = 1;
    ++at;
  }

  void skipString(char quote) {
    const std::string three(3, quote);
    const std::string end = text.substr(at, 3) == three ? three : std::string(1, quote);
    for (at += end.size(); at < text.size() && text.substr(at, end.size()) != end; ++at)
      if (quote == '"' && text[at] == '\\')
        ++at;
    at = std::min(at + end.size(), text.size());
  }

  std::string_view text;
  size_t at = 0;
  int parts = 1;
};

} // namespace

toml::table parseToml(std::string_view text, const std::string &path) {
  if (const int64_t line = KeyScan(text).longKey())
    throw Error(
        fmt::format("{}:{}: not a TOML file: a key must have at most {} parts, but got more", path, line, mostParts));
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error &error) {
    throw Error(fmt::format("{}:{}: not a TOML file: {}", path, error.source().begin.line, error.description()));
  }
}

static bool isControl(std::string_view character) {
  return character.size() == 1 && (static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7f);
}

// A text whose characters are written by one function, and bytes that are of none by another.
template <typename Write, typename WriteByte>
static std::string rewritten(std::string_view text, const Write &write, const WriteByte &writeByte) {
  std::string out;
  while (!text.empty()) {
    const size_t size = utf8Size(text);
    out += size ? write(text.substr(0, size)) : writeByte(static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

std::string quoteToml(std::string_view text) {
  const auto write = [](std::string_view character) -> std::string {
    if (character == "\"" || character == "\\")
      return "\\" + std::string(character);
    return isControl(character) ? fmt::format("\\u{:04X}", static_cast<int>(character[0])) : std::string(character);
  };
  return "\"" + rewritten(text, write, [](unsigned char) { return std::string("\\uFFFD"); }) + "\"";
}

std::string commentToml(std::string_view text) {
  const auto writeByte = [](unsigned char byte) { return fmt::format("\\x{:02x}", static_cast<int>(byte)); };
  const auto write = [&](std::string_view character) {
    return isControl(character) ? writeByte(static_cast<unsigned char>(character[0])) : std::string(character);
  };
  return rewritten(text, write, writeByte);
}

} // namespace stretto::runtime
