// Compiled programs, kept by the content they were made from.
#include "tools/stretto/cache.h"

#include "tools/stretto/error.h"
#include "tools/stretto/files.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace stretto::tools {

namespace fs = std::filesystem;

void CacheKey::add(std::string_view field) {
  fields += std::to_string(field.size());
  fields += ':';
  fields += field;
}

static std::string hexDigits(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  return text;
}

void CacheKey::addFile(const fs::path &path) {
  const std::optional<std::string> content = contentOf(path);
  if (!content)
    throw CommandError("cannot read '" + path.string() + "'");
  XXH128_hash_t hash = XXH3_128bits(content->data(), content->size());
  add(std::string_view(reinterpret_cast<const char *>(&hash), sizeof hash));
}

std::string CacheKey::digest() const { return hexDigits(XXH3_128bits(fields.data(), fields.size())); }

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

static CommandError unusable(const std::string &problem) {
  return CommandError(problem + "; set STRETTO_CACHE to a folder that can be written");
}

static CommandError unusable(const fs::path &folder, const std::string &reason) {
  return unusable("cannot write in the cache '" + folder.string() + "': " + reason);
}

// An open folder with a lock, which goes with this process in whatever way it ends.
static int lockFolder(const fs::path &folder, int how) {
  const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle >= 0 && flock(handle, how) == 0)
    return handle;
  if (handle >= 0)
    close(handle);
  return -1;
}

// A new folder `making-*`, locked; removed with all it holds when it goes out of scope.
class ProgramCache::Scratch {
public:
  explicit Scratch(const fs::path &folder) {
    do {
      unlock();
      std::string name = folder / "making-XXXXXX";
      if (!mkdtemp(name.data()))
        throw unusable(folder, std::strerror(errno));
      path = name;
      lock = lockFolder(path, LOCK_EX);
    } while (!fs::exists(path)); // another process took it for abandoned before it was locked
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    unlock();
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  fs::path path;

private:
  void unlock() {
    if (lock >= 0)
      close(lock);
  }

  int lock = -1; // -1: this file system has no locks
};

void ProgramCache::removeAbandoned() const {
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with("making-"))
      continue;
    if (const int lock = lockFolder(entry.path(), LOCK_EX | LOCK_NB); lock >= 0) {
      fs::remove_all(entry.path(), ignored);
      close(lock);
    }
  }
}

static std::string checksumOf(const std::string &content) {
  return hexDigits(XXH3_128bits(content.data(), content.size())) + "\n";
}

// Makes a program and its checksum in a folder. Throws CommandError where they cannot be written.
static void fill(const fs::path &entry, const std::function<void(const fs::path &)> &make) {
  const fs::path program = entry / "program";
  try {
    make(program);
    syncFile(program);
    const std::optional<std::string> content = contentOf(program);
    if (!content)
      throw CommandError("cannot read '" + program.string() + "'");
    writeFile(entry / "checksum", checksumOf(*content));
  } catch (const WriteError &error) {
    throw unusable(error.what());
  }
}

// What is wrong with an entry that there is; empty for a good one.
static std::string damageOf(const fs::path &entry) {
  const fs::path program = entry / "program";
  std::error_code none;
  if (!fs::is_regular_file(program, none))
    return fs::is_symlink(fs::symlink_status(program, none)) ? "it is a link to nothing" : "it is no file";
  if (access(program.c_str(), X_OK) != 0)
    return "it may not be executed";
  const std::optional<std::string> content = contentOf(program), sum = contentOf(entry / "checksum");
  if (!content)
    return "it cannot be read";
  return sum == checksumOf(*content) ? "" : "its checksum is not the one it was made with";
}

static bool isThere(const fs::path &path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

fs::path ProgramCache::obtain(const std::string &key, const std::function<void(const fs::path &)> &make) {
  const fs::path entry = programs / key, program = entry / "program";
  std::error_code error;
  const bool there = isThere(entry);
  const std::string damage = there ? damageOf(entry) : "";
  if (there && damage.empty()) {
    fs::last_write_time(entry, fs::file_time_type::clock::now(),
                        error); // a sign of use; a read-only cache goes without
    return program;
  }
  if (there)
    std::fprintf(stderr, "stretto: the program in the cache is damaged and made anew: '%s': %s\n", program.c_str(),
                 damage.c_str());
  fs::create_directories(programs, error);
  if (error)
    throw unusable(folder, error.message());
  removeAbandoned();
  const Scratch scratch(folder), old(folder);
  fill(scratch.path, make);
  if (there)
    fs::rename(entry, old.path / key, error);
  fs::rename(scratch.path, entry, error);
  // Another process may have been faster: its entry has the same content.
  if (error && !damageOf(entry).empty())
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

} // namespace stretto::tools
