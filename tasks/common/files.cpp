// Reading the files that parameters of tasks name.
#include "tasks/common/files.h"

#include "tasks/common/parameters.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stretto::tasks {

[[noreturn]] static void fail(const std::string &path, const std::string &reason) {
  throw TaskError("cannot read '" + path + "': " + reason);
}

MappedFile::MappedFile(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer is not waited for
  if (descriptor < 0)
    fail(path, std::strerror(errno));
  struct stat status{};
  int error = fstat(descriptor, &status) ? errno : 0;
  bool regular = S_ISREG(status.st_mode);
  if (!error && regular && status.st_size > 0) {
    size = size_t(status.st_size);
    data = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    error = data == MAP_FAILED ? errno : 0;
  }
  close(descriptor);
  if (error)
    fail(path, std::strerror(error));
  if (!regular)
    fail(path, "it must be a regular file");
  if (size == 0)
    fail(path, "it is empty");
}

bool fileExists(const std::string &path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 || errno != ENOENT;
}

MappedFile::~MappedFile() { munmap(data, size); }

std::string readTextFile(const std::string &path) {
  MappedFile file(path);
  std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() > size_t{1} << 30)
    fail(path, "a text must have at most 2^30 bytes, but got " + std::to_string(bytes.size()));
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace stretto::tasks
