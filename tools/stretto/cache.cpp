#include "tools/stretto/cache.h"

#include "tools/stretto/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace stretto {

namespace fs = std::filesystem;

void CacheKey::add(std::string_view field) {
  fields += std::to_string(field.size());
  fields += ':';
  fields += field;
}

void CacheKey::addFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(file), {});
  if (!file)
    throw CommandError("cannot read '" + path.string() + "'");
  XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  add(std::string_view(reinterpret_cast<const char *>(&hash), sizeof hash));
}

std::string CacheKey::digest() const {
  XXH128_hash_t hash = XXH3_128bits(fields.data(), fields.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  return text;
}

fs::path cacheFolder() {
  auto variable = [](const char *name) -> fs::path {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  if (fs::path folder = variable("STRETTO_CACHE"); !folder.empty())
    return folder;
  if (fs::path folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder / "stretto";
  if (fs::path folder = variable("HOME"); !folder.empty())
    return folder / ".cache" / "stretto";
  throw CommandError("no place for compiled programs: set STRETTO_CACHE to a folder");
}

ProgramCache::ProgramCache(fs::path folder, size_t capacity)
    : folder(std::move(folder)), programs(this->folder / "programs"), capacity(capacity) {}

static CommandError unusable(const fs::path &folder, const std::string &reason) {
  return CommandError("cannot write in the cache '" + folder.string() + "': " + reason +
                      "; set STRETTO_CACHE to a folder that can be written");
}

fs::path ProgramCache::makeScratch() const {
  std::error_code error;
  fs::create_directories(programs, error);
  if (error)
    throw unusable(folder, error.message());
  std::string scratch = folder / "making-XXXXXX";
  if (!mkdtemp(scratch.data()))
    throw unusable(folder, std::strerror(errno));
  return scratch;
}

static void syncFile(const fs::path &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fsync(file) != 0)
    throw CommandError("cannot write '" + path.string() + "': " + std::strerror(errno));
  close(file);
}

fs::path ProgramCache::obtain(const std::string &key, const std::function<void(const fs::path &)> &make) {
  fs::path entry = programs / key, program = entry / "program";
  std::error_code error;
  if (access(program.c_str(), X_OK) == 0) {
    fs::last_write_time(entry, fs::file_time_type::clock::now(), error); // a sign of use; a read-only cache goes without
    return program;
  }
  struct Scratch {
    fs::path path;
    ~Scratch() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } scratch{makeScratch()};
  make(scratch.path / "program");
  syncFile(scratch.path / "program");
  fs::rename(scratch.path, entry, error);
  // Another process may have been faster: its entry has the same content.
  if (error && access(program.c_str(), X_OK) != 0)
    throw unusable(folder, error.message());
  forgetOldest();
  return program;
}

void ProgramCache::forgetOldest() const {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const fs::directory_entry &entry : fs::directory_iterator(programs, ignored))
    entries.emplace_back(entry.last_write_time(ignored), entry.path());
  if (entries.size() <= capacity)
    return;
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i < entries.size() - capacity; ++i)
    fs::remove_all(entries[i].second, ignored);
}

} // namespace stretto
