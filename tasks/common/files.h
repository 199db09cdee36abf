// Reading the files that parameters of tasks name.
#pragma once

#include <cstddef>
#include <ctime>
#include <span>
#include <string>

namespace stretto::tasks {

// The bytes of a file, mapped into memory: pages are read when they are looked at.
class MappedFile {
public:
  // Throws TaskError "cannot read '<path>': <reason>"; a directory and an empty file are refused.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte *>(data), size}; }
  // Throws TaskError where the file was written to since: its bytes are others, and pages behind its end are a bus
  // error.
  void expectUnchanged() const;

private:
  std::string path;
  int descriptor;
  timespec writtenAt{};
  void *data = nullptr;
  size_t size = 0;
};

// Whether something stands there, readable or not.
bool fileExists(const std::string &path);

// The text of a file. Throws as MappedFile does, and for files above 2^30 bytes.
std::string readTextFile(const std::string &path);

} // namespace stretto::tasks
