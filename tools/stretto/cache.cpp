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

ProgramCache::ProgramCache(fs::path folder, size_t capacity) : folder(std::move(folder)), capacity(capacity) {}

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

// A new folder `making-*`, locked and of this user alone; removed with all it holds when it goes out of scope.
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
  std::error_code failure, none;
  const fs::file_status status = fs::status(program, failure);
  if (status.type() == fs::file_type::none)
    return failure.message();
  if (!fs::is_regular_file(status))
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

// A sign of use; a read-only cache goes without.
static void touch(const fs::path &entry) {
  std::error_code none;
  fs::last_write_time(entry, fs::file_time_type::clock::now(), none);
}

// Puts a new entry in the place of what is there, which goes to `old`. Returns why it is not there; another process may
// have been faster, with an entry of the same content.
static std::error_code place(const fs::path &made, const fs::path &entry, const fs::path &old) {
  std::error_code error;
  fs::create_directories(entry.parent_path(), error);
  if (error)
    return error;
  if (isThere(entry))
    fs::rename(entry, old / entry.filename(), error);
  fs::rename(made, entry, error);
  return error && damageOf(entry).empty() ? std::error_code() : error;
}

fs::path ProgramCache::obtain(const std::string &key, const std::function<void(const fs::path &)> &make) {
  const fs::path shared = folder / "programs" / key;
  const fs::path own = folder / ("programs-" + std::to_string(geteuid())) / key;
  for (const fs::path &entry : {shared, own})
    if (isThere(entry) && damageOf(entry).empty()) {
      touch(entry);
      return entry / "program";
    }
  if (isThere(shared))
    std::fprintf(stderr, "stretto: the program in the cache is damaged and made anew: '%s': %s\n",
                 (shared / "program").c_str(), damageOf(shared).c_str());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw unusable(folder, error.message());
  removeAbandoned();
  const Scratch scratch(folder), old(folder);
  const fs::path made = scratch.path / key;
  if (!fs::create_directory(made, error))
    throw unusable(folder, error.message());
  fill(made, make);
  for (const fs::path &entry : {shared, own})
    if (error = place(made, entry, old.path); !error) {
      forgetOldest(entry.parent_path());
      return entry / "program";
    }
  throw unusable(folder, error.message());
}

void ProgramCache::forgetOldest(const fs::path &programs) const {
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
