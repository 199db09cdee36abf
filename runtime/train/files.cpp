// Durable writing.
#include "runtime/train/files.h"

#include "runtime/core/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stretto::runtime {
namespace {

FileGate &gate() {
  static FileGate current;
  return current;
}

void pass(std::string_view operation, const std::string &path) {
  if (gate())
    gate()(operation, path);
}

void renameWith(const std::string &from, const std::string &to, unsigned flags) {
  pass("rename", to);
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0)
    failFile(fmt::format("rename '{}' to", from), to, errno);
}

std::string parentOf(const std::string &path) {
  const size_t slash = path.rfind('/', path.find_last_not_of('/'));
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

void setFileGate(FileGate next) { gate() = std::move(next); }

void failFile(const std::string &action, const std::string &path, int code) {
  throw Error(fmt::format("cannot {} '{}': {}", action, path, std::strerror(code)));
}

OutputFile::OutputFile(const std::string &path, bool executable, const std::string &name)
    : path(path), name(name.empty() ? path : name) {
  pass("create", path);
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  descriptor = Descriptor(open(path.c_str(), flags, executable ? 0755 : 0644));
  if (!descriptor.isOpen())
    failFile("create", this->name, errno);
}

void OutputFile::write(const void *data, size_t bytes) {
  pass("write", path);
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor.get(), next, std::min<size_t>(bytes, 1u << 30));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failFile("write", name, errno);
    next += written;
    bytes -= static_cast<size_t>(written);
  }
}

void OutputFile::finish() {
  pass("sync", path);
  if (fsync(descriptor.get()) != 0)
    failFile("sync", name, errno);
  if (close(descriptor.release()) != 0)
    failFile("close", name, errno);
}

InputFile::InputFile(const std::string &path, bool followLinks)
    : path(path), descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW))) {
  const int code = descriptor.isOpen() ? 0 : errno;
  if (std::error_code none; code == ELOOP && !followLinks && std::filesystem::is_symlink(path, none))
    throw Error(fmt::format("cannot open '{}': it must be a regular file, but is a link", path));
  if (code != 0)
    failFile("open", path, code);
  struct stat status;
  if (fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error(fmt::format("cannot open '{}': not a regular file", path));
  size = static_cast<uint64_t>(status.st_size);
}

void InputFile::read(uint64_t offset, void *data, size_t bytes) const {
  char *next = static_cast<char *>(data);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor.get(), next, std::min<size_t>(bytes, 1u << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      failFile("read", path, errno);
    if (got == 0)
      throw Error(fmt::format("cannot read '{}': the file has become shorter", path));
    next += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
}

std::string readFile(const std::string &path, uint64_t maxBytes, bool followLinks) {
  InputFile file(path, followLinks);
  if (file.bytes() > maxBytes)
    throw Error(
        fmt::format("cannot read '{}': it must have at most {} bytes, but got {}", path, maxBytes, file.bytes()));
  std::string text(file.bytes(), '\0');
  file.read(0, text.data(), text.size());
  return text;
}

// One that exists may come from a process that was killed before it synced the name.
void makeDirectory(const std::string &path) {
  pass("mkdir", path);
  int code = mkdir(path.c_str(), 0755) == 0 ? 0 : errno;
  if (const size_t slash = path.rfind('/'); code == ENOENT && slash != std::string::npos && slash > 0) {
    makeDirectory(path.substr(0, slash));
    code = mkdir(path.c_str(), 0755) == 0 ? 0 : errno;
  }
  if (code != 0 && code != EEXIST)
    failFile("create folder", path, code);
  struct stat there = {};
  code = stat(path.c_str(), &there) == 0 ? 0 : errno;
  if (code == ENOENT)
    throw Error(fmt::format("cannot create folder '{}': it is a link that leads to nothing", path));
  if (code != 0)
    failFile("create folder", path, code);
  if (!S_ISDIR(there.st_mode))
    failFile("create folder", path, EEXIST);
  if (const std::string parent = parentOf(path); access(parent.c_str(), R_OK) == 0)
    syncDirectory(parent);
}

void syncDirectory(const std::string &path) {
  pass("sync", path);
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.isOpen())
    failFile("open folder", path, errno);
  if (fsync(descriptor.get()) != 0)
    failFile("sync folder", path, errno);
}

void renameNew(const std::string &from, const std::string &to) { renameWith(from, to, RENAME_NOREPLACE); }
void exchangePaths(const std::string &first, const std::string &second) { renameWith(first, second, RENAME_EXCHANGE); }

void removeFile(const std::string &path) {
  pass("remove", path);
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    failFile("remove", path, errno);
}

static bool isFolder(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void removeTree(const std::string &path) {
  for (const std::string &name : listDirectory(path))
    if (const std::string inner = path + "/" + name; isFolder(inner))
      removeTree(inner);
    else
      removeFile(inner);
  pass("remove", path);
  if (rmdir(path.c_str()) != 0 && errno != ENOENT)
    failFile("remove folder", path, errno);
}

std::vector<std::string> listDirectory(const std::string &path) {
  pass("list", path);
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(path.c_str()), closedir);
  if (!directory) {
    if (errno == ENOENT)
      return names;
    failFile("list", path, errno);
  }
  errno = 0;
  while (const dirent *entry = readdir(directory.get())) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
    errno = 0;
  }
  if (errno != 0)
    failFile("list", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

bool pathExists(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

bool hasText(const std::string &path, std::string_view text) {
  if (!pathExists(path))
    return false;
  struct stat status;
  if (lstat(path.c_str(), &status) != 0)
    failFile("read", path, errno);
  return S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) == text.size() &&
         readFile(path, text.size()) == text;
}

void replaceWhereChanged(const std::string &path, std::string_view text, bool executable) {
  if (!hasText(path, text) || (executable && access(path.c_str(), X_OK) != 0))
    replaceFile(path, text, executable);
}

bool matches(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

void removeInterrupted(const std::string &folder, const std::vector<std::string> &names) {
  for (const std::string &name : listDirectory(folder)) {
    const size_t mark = name.rfind(temporaryMark), number = mark + temporaryMark.size();
    if (mark == std::string::npos || number == name.size() ||
        name.find_first_not_of("0123456789", number) != std::string::npos)
      continue;
    const std::string_view of = std::string_view(name).substr(0, mark);
    if (std::ranges::any_of(names, [&](const std::string &pattern) { return matches(of, pattern); }))
      removeFile(folder + "/" + name);
  }
}

void writeReplacement(const std::string &path, bool executable, const std::function<void(OutputFile &)> &fill) {
  const std::string temporary = fmt::format("{}{}{}", path, temporaryMark, getpid());
  if (pathExists(temporary))
    removeFile(temporary);
  try {
    OutputFile file(temporary, executable, path);
    fill(file);
    file.finish();
    renameWith(temporary, path, 0);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  syncDirectory(parentOf(path));
}

void replaceFile(const std::string &path, std::string_view text, bool executable) {
  writeReplacement(path, executable, [&](OutputFile &file) { file.write(text.data(), text.size()); });
}

static std::string behindLinks(const std::string &path) {
  constexpr int mostLinks = 40;
  std::filesystem::path at = path;
  std::error_code none;
  for (int link = 0; std::filesystem::is_symlink(at, none); ++link) {
    if (link == mostLinks)
      failFile("write", path, ELOOP);
    at = at.parent_path() / std::filesystem::read_symlink(at, none);
  }
  return at.string();
}

std::string placeOfOutput(const std::string &path) {
  const std::string place = behindLinks(path);
  struct stat status;
  const bool exists = stat(place.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    failFile("write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    throw Error(fmt::format("cannot write '{}': it must be a regular file", path));
  if (!exists && errno != ENOENT)
    failFile("write", path, errno);
  if ((exists && access(place.c_str(), W_OK) != 0) || access(parentOf(place).c_str(), W_OK | X_OK) != 0)
    failFile("write", path, errno);
  return place;
}

} // namespace stretto::runtime
