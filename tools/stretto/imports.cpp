// What a spec consists of, read without the compiler.
#include "tools/stretto/imports.h"

#include "tools/stretto/error.h"
#include "tools/stretto/files.h"
#include "tools/support/spec_files.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <system_error>

namespace stretto::tools {

namespace fs = std::filesystem;

static bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The end of the token that begins at `at`: a comment, a string, a word, or one character.
static size_t tokenEnd(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (text.substr(at, 2) == "//") {
    end = text.find_first_of("\r\n", at);
  } else if (text[at] == '"') {
    end = text.find_first_of("\"\r\n", at + 1);
    end += end != text.npos && text[end] == '"';
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

// What keeps a file from being read as a spec or an import; empty where nothing does. Only what ends is read.
static std::string whyNotRead(const fs::path &path) {
  std::error_code code;
  fs::file_status status = fs::status(path, code);
  if (!fs::exists(status))
    return (code ? code : std::make_error_code(std::errc::no_such_file_or_directory)).message();
  if (fs::is_directory(status))
    return "it is a folder";
  if (!fs::is_regular_file(status))
    return "it must be a regular file";
  if (std::uintmax_t size = fs::file_size(path, code); !code && size > maxSpecBytes)
    return "it must have at most " + std::to_string(maxSpecBytes) + " bytes, but got " + std::to_string(size);
  return "";
}

static std::optional<std::string> readFile(const fs::path &path) {
  return whyNotRead(path).empty() ? contentOf(path) : std::nullopt;
}

std::vector<SpecFile> readSpec(const fs::path &spec, std::span<const std::string> importFolders) {
  std::string problem = whyNotRead(spec);
  errno = 0;
  std::optional<std::string> text = problem.empty() ? readFile(spec) : std::nullopt;
  if (!text)
    throw CommandError("cannot read the spec '" + spec.string() +
                       "': " + (problem.empty() ? std::strerror(errno) : problem));
  std::vector<SpecFile> files{{spec, std::move(*text)}};
  std::set<fs::path> seen{spec.lexically_normal()};
  auto take = [&](const fs::path &joined) {
    const fs::path path = joined.lexically_normal();
    std::optional<std::string> imported = readFile(path);
    if (imported && seen.insert(path).second)
      files.push_back({path, std::move(*imported)});
    return imported.has_value();
  };
  for (size_t i = 0; i < files.size() && files.size() <= maxSpecFiles; ++i)
    for (const std::string &name : importedPaths(files[i].text)) {
      bool found = take(files[i].path.parent_path() / name);
      for (size_t f = 0; !found && f < importFolders.size(); ++f)
        found = take(fs::path(importFolders[f]) / name);
    }
  return files;
}

} // namespace stretto::tools
