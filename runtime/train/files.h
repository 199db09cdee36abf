// Durable writing: every system call of the checkpoint protocol goes through one place, so that tests can
// make the Nth one fail or kill the process there.
#pragma once

#include "runtime/core/descriptor.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

// Called before each operation with its name and path; may throw.
using FileGate = std::function<void(std::string_view operation, const std::string &path)>;
void setFileGate(FileGate gate);

// In the names of files and folders that are being written or removed: no reader takes one of them for a whole one.
inline constexpr std::string_view temporaryMark = ".tmp-";

// A new file being written. Closing without sync loses nothing but the guarantee.
class OutputFile {
public:
  // Creates `path`; the file must not exist. `name`: what messages call it, where it is to get another path.
  explicit OutputFile(const std::string &path, bool executable = false, const std::string &name = "");
  void write(const void *data, size_t bytes);
  // Flushes to the disk and closes.
  void finish();

private:
  std::string path, name;
  Descriptor descriptor;
};

// A regular file opened for reading.
class InputFile {
public:
  // A symbolic link is refused unless `followLinks`: paths inside a run directory never follow one.
  explicit InputFile(const std::string &path, bool followLinks = false);
  uint64_t bytes() const { return size; }
  // Throws Error when the file has become shorter.
  void read(uint64_t offset, void *data, size_t bytes) const;
  const std::string path;

private:
  Descriptor descriptor;
  uint64_t size = 0;
};

// All throw Error "cannot <do> '<path>': <reason>".
std::string readFile(const std::string &path, uint64_t maxBytes, bool followLinks = false);
void makeDirectory(const std::string &path); // existing is fine; its name is synced
void syncDirectory(const std::string &path);
void renameNew(const std::string &from, const std::string &to);          // `to` must not exist
void exchangePaths(const std::string &first, const std::string &second); // atomically
void removeFile(const std::string &path);
void removeTree(const std::string &path); // a folder with all that is in it; links are not followed
std::vector<std::string> listDirectory(const std::string &path); // sorted; empty when there is none
bool pathExists(const std::string &path);                        // also where it cannot be looked at
bool hasText(const std::string &path, std::string_view text);    // whether a file that is no link has this text
// Replaces `path` by a synced temporary file renamed over it.
void replaceFile(const std::string &path, std::string_view text, bool executable = false);
// The same for what does not hold the text, or is to be executable and is not.
void replaceWhereChanged(const std::string &path, std::string_view text, bool executable = false);
// The file that is written where a user names `path`: what links lead to. Throws Error where a folder lies there or
// another thing that is no regular file, and where nothing can be written.
std::string placeOfOutput(const std::string &path);
// Writes a file under a temporary name, syncs it and renames it to `path`.
void writeReplacement(const std::string &path, bool executable, const std::function<void(OutputFile &)> &fill);
// Whether a name is the one of a pattern; * at the end of that stands for any end.
bool matches(std::string_view name, std::string_view pattern);
// Removes the temporary files in a folder of replacements that were interrupted, of files whose names match one of
// these patterns. The folder must have no other writer of such files.
void removeInterrupted(const std::string &folder, const std::vector<std::string> &names);

// "cannot <action> '<path>': <reason of errno>".
[[noreturn]] void failFile(const std::string &action, const std::string &path, int code);

} // namespace stretto::runtime
