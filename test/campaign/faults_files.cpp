// The functions of the C library that change files, or may fail while they are read.
#include "test/campaign/faults.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace faults;

namespace {

template <typename Function> Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

// open of a file that is new is a change, of one that is cut to nothing another.
long openPath(int folder, const char *path, int flags, mode_t mode) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  const bool isNew = (flags & O_CREAT) && faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  Operation operation(isNew ? "create" : writes && (flags & O_TRUNC) ? "cut" : writes ? "append" : "open", path);
  const long result = operation.fails() ? -1 : syscall(SYS_openat, folder, path, flags, mode);
  if (result >= 0)
    opened(static_cast<int>(result), path);
  return operation.end(result, result);
}

long onPath(const char *name, long number, const char *path, long argument) {
  Operation operation(name, path);
  return operation.end(operation.fails() ? -1 : syscall(number, path, argument));
}

long onDescriptor(const char *name, long number, int descriptor, long argument = 0) {
  Operation operation(name, pathOf(descriptor));
  return operation.end(operation.fails() ? -1 : syscall(number, descriptor, argument), descriptor, argument);
}

long move(const char *name, int fromFolder, const char *from, int toFolder, const char *to, unsigned flags) {
  Operation operation(name, from, to);
  return operation.end(operation.fails() ? -1 : syscall(SYS_renameat2, fromFolder, from, toFolder, to, flags));
}

// Behind the end of a file that is only appended to, wherever its position was.
long slotOf(int descriptor) {
  if (fcntl(descriptor, F_GETFL) & O_APPEND) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_size : -1;
  }
  return lseek(descriptor, 0, SEEK_CUR);
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return static_cast<int>(openPath(AT_FDCWD, path, flags, mode));
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return static_cast<int>(openPath(folder, path, flags, mode));
}
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

int close(int descriptor) {
  closed(descriptor);
  return static_cast<int>(syscall(SYS_close, descriptor));
}

ssize_t write(int descriptor, const void *data, size_t bytes) {
  Operation operation("write", pathOf(descriptor));
  const long place = operation.counts() ? slotOf(descriptor) : -1;
  const long result = operation.fails() ? -1 : syscall(SYS_write, descriptor, data, operation.allowed(bytes));
  return operation.end(result, descriptor, place, data);
}

// Streams write what they hold and what is new at once; one after the other is the same.
ssize_t writev(int descriptor, const iovec *parts, int count) {
  if (pathOf(descriptor).empty())
    return syscall(SYS_writev, descriptor, parts, count);
  ssize_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t written = write(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (written < 0)
      return sum ? sum : -1;
    sum += written;
    if (static_cast<size_t>(written) < parts[i].iov_len)
      break;
  }
  return sum;
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t offset) {
  Operation operation("write", pathOf(descriptor));
  const long result =
      operation.fails() ? -1 : syscall(SYS_pwrite64, descriptor, data, operation.allowed(bytes), offset);
  return operation.end(result, descriptor, offset, data);
}
ssize_t pwrite64(int, const void *, size_t, off64_t) __attribute__((alias("pwrite")));

ssize_t read(int descriptor, void *data, size_t bytes) {
  Operation operation("read", pathOf(descriptor));
  return operation.end(operation.fails() ? -1 : syscall(SYS_read, descriptor, data, bytes), descriptor);
}

ssize_t pread(int descriptor, void *data, size_t bytes, off_t offset) {
  Operation operation("read", pathOf(descriptor));
  return operation.end(operation.fails() ? -1 : syscall(SYS_pread64, descriptor, data, bytes, offset), descriptor);
}
ssize_t pread64(int, void *, size_t, off64_t) __attribute__((alias("pread")));

int ftruncate(int descriptor, off_t bytes) noexcept {
  return static_cast<int>(onDescriptor("resize", SYS_ftruncate, descriptor, bytes));
}
int ftruncate64(int, off64_t) noexcept __attribute__((alias("ftruncate")));
int fsync(int descriptor) { return static_cast<int>(onDescriptor("sync", SYS_fsync, descriptor)); }
int fdatasync(int descriptor) { return static_cast<int>(onDescriptor("sync", SYS_fdatasync, descriptor)); }

int rename(const char *from, const char *to) noexcept {
  return static_cast<int>(move("rename", AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat(int fromFolder, const char *from, int toFolder, const char *to) noexcept {
  return static_cast<int>(move("rename", fromFolder, from, toFolder, to, 0));
}
int renameat2(int fromFolder, const char *from, int toFolder, const char *to, unsigned flags) noexcept {
  return static_cast<int>(move(flags & RENAME_EXCHANGE ? "exchange" : "rename", fromFolder, from, toFolder, to, flags));
}

int unlink(const char *path) noexcept { return static_cast<int>(onPath("unlink", SYS_unlink, path, 0)); }
int rmdir(const char *path) noexcept { return static_cast<int>(onPath("rmdir", SYS_rmdir, path, 0)); }
int mkdir(const char *path, mode_t mode) noexcept {
  return static_cast<int>(onPath("mkdir", SYS_mkdir, path, static_cast<long>(mode)));
}
int chmod(const char *path, mode_t mode) noexcept {
  return static_cast<int>(onPath("chmod", SYS_chmod, path, static_cast<long>(mode)));
}

DIR *opendir(const char *path) {
  static const auto real = next(opendir, "opendir");
  Operation operation("list", path);
  DIR *result = operation.fails() ? nullptr : real(path);
  operation.end(result ? 0 : -1);
  return result;
}

FILE *fopen(const char *path, const char *mode) {
  static const auto real = next(fopen, "fopen");
  const bool writes = std::strpbrk(mode, "wa+"), isNew = writes && access(path, F_OK) != 0;
  Operation operation(isNew ? "create" : *mode == 'w' ? "cut" : writes ? "append" : "open", path);
  FILE *result = operation.fails() ? nullptr : real(path, mode);
  const int descriptor = result ? fileno(result) : -1;
  if (result)
    opened(descriptor, path);
  operation.end(descriptor, descriptor);
  return result;
}
FILE *fopen64(const char *, const char *) __attribute__((alias("fopen")));

int fclose(FILE *file) {
  static const auto real = next(fclose, "fclose");
  if (file)
    closed(fileno(file));
  return real(file);
}

} // extern "C"
#pragma GCC visibility pop
