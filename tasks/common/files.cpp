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

MappedFile::MappedFile(const std::string &path)
    : path(path), descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) { // a pipe waits for no writer
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
  if (!error && regular && size > 0) {
    writtenAt = status.st_mtim;
    return;
  }
  close(descriptor);
  fail(path, error ? std::strerror(error) : regular ? "it is empty" : "it must be a regular file");
}

void MappedFile::expectUnchanged() const {
  struct stat now{};
  if (fstat(descriptor, &now) == 0 && size_t(now.st_size) == size && now.st_mtim.tv_sec == writtenAt.tv_sec &&
      now.st_mtim.tv_nsec == writtenAt.tv_nsec)
    return;
  throw TaskError("'" + path + "' must not change while it is in use, but was written to: it had " +
                  std::to_string(size) + " bytes, now it has " + std::to_string(now.st_size));
}

bool fileExists(const std::string &path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

MappedFile::~MappedFile() {
  munmap(data, size);
  close(descriptor);
}

std::string readTextFile(const std::string &path) {
  MappedFile file(path);
  std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() > size_t{1} << 30)
    fail(path, "a text must have at most 2^30 bytes, but got " + std::to_string(bytes.size()));
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace stretto::tasks
