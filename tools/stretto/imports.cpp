#include "tools/stretto/imports.h"

#include "tools/stretto/error.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace stretto {

namespace fs = std::filesystem;

static bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The end of the token that begins at `at`: a comment, a string, a word, or one character.
static size_t tokenEnd(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (text.substr(at, 2) == "//") {
    end = text.find('\n', at);
  } else if (text[at] == '"') {
    end = text.find_first_of("\"\n", at + 1);
    if (end != text.npos)
      ++end;
  } else if (isWordLetter(text[at])) {
    while (end < text.size() && isWordLetter(text[end]))
      ++end;
  }
  return end == text.npos ? text.size() : end;
}

std::vector<std::string> importedPaths(std::string_view text) {
  std::vector<std::string> paths;
  bool afterImport = false;
  for (size_t at = 0; at < text.size();) {
    size_t end = tokenEnd(text, at);
    std::string_view token = text.substr(at, end - at);
    at = end;
    if (std::isspace(static_cast<unsigned char>(token[0])) || token.starts_with("//"))
      continue;
    if (afterImport && token.size() >= 2 && token.front() == '"' && token.back() == '"')
      paths.emplace_back(token.substr(1, token.size() - 2));
    afterImport = token == "import";
  }
  return paths;
}

static std::optional<std::string> readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path))
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<SpecFile> readSpec(const fs::path &spec, std::span<const std::string> importFolders) {
  errno = 0;
  std::optional<std::string> text = readFile(spec);
  if (!text)
    throw CommandError("cannot read the spec '" + spec.string() + "': " +
                       (errno ? std::strerror(errno) : "it is a folder"));
  std::vector<SpecFile> files{{spec, std::move(*text)}};
  std::set<fs::path> seen{fs::weakly_canonical(spec)};
  auto take = [&](const fs::path &path) {
    std::optional<std::string> imported = readFile(path);
    if (imported && seen.insert(fs::weakly_canonical(path)).second)
      files.push_back({path, std::move(*imported)});
    return imported.has_value();
  };
  for (size_t i = 0; i < files.size(); ++i)
    for (const std::string &name : importedPaths(files[i].text)) {
      bool found = take(files[i].path.parent_path() / name);
      for (size_t f = 0; !found && f < importFolders.size(); ++f)
        found = take(fs::path(importFolders[f]) / name);
    }
  return files;
}

} // namespace stretto
