// Compiled programs, kept by the content they were made from.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stretto::tools {

// A content key under construction: fields cannot run into one another.
class CacheKey {
public:
  void add(std::string_view field);
  // Adds the content of a file. Throws CommandError where it cannot be read.
  void addFile(const std::filesystem::path &path);
  // 32 hex digits (XXH3, 128 bits) over the fields in order.
  std::string digest() const;

private:
  std::string fields;
};

// $STRETTO_CACHE, else $XDG_CACHE_HOME/stretto, else $HOME/.cache/stretto. Throws CommandError where none is set.
std::filesystem::path cacheFolder();

// A folder with one entry per key: <folder>/programs/<key>/program, and beside it the checksum of its content and what
// the compiler remarked. Entries are made in a folder <folder>/making-* that is locked, and renamed into place, so that
// several processes may use the cache at once. A kill leaves no half entry; the folder it leaves goes when the next
// program is made. Users may share the cache: who cannot use or replace the entry of another, or cannot add one, has
// <folder>/programs-<user>.
class ProgramCache {
public:
  // Keeps at most `capacity` programs in a folder, the most recently used ones.
  explicit ProgramCache(std::filesystem::path folder, size_t capacity = 200);

  // The program of a key; where it is missing or damaged, `make` is called to write it to the path it is given. What it
  // leaves beside that is kept, too. A damaged one is told on the standard error. Throws CommandError where the folder
  // cannot be written, as a WriteError of `make` says, too; what else `make` throws goes through.
  std::filesystem::path obtain(const std::string &key, const std::function<void(const std::filesystem::path &)> &make);

private:
  class Scratch;

  void forgetOldest(const std::filesystem::path &programs) const;
  void removeAbandoned() const;

  std::filesystem::path folder;
  size_t capacity;
};

} // namespace stretto::tools
