// Which operation on files or allocation fails, or kills the process, as the environment says.
#include "test/campaign/faults.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace faults {
namespace {

// Everything in fixed memory: nothing here may allocate, as allocations may be made to fail.
struct State {
  char below[1024] = "";
  long count = 0, failAt = 0, killAt = 0;
  int code = 0, log = -1;
  bool failAll = false, killAfter = false;
};
State state;
std::recursive_mutex mutex;
std::array<std::array<char, 512>, 1024> paths; // by descriptor

bool isBelow(std::string_view path) {
  const std::string_view folder = state.below;
  return !folder.empty() && path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

void writeAll(int descriptor, const void *data, size_t bytes) {
  for (const char *next = static_cast<const char *>(data); bytes > 0;) {
    const long written = syscall(SYS_write, descriptor, next, bytes);
    if (written <= 0)
      abort();
    next += written, bytes -= static_cast<size_t>(written);
  }
}

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  while (true)
    pause();
}

const char *setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

Operation::Operation(std::string_view name, std::string_view path, std::string_view target)
    : name(name), path(path), target(target) {
  mutex.lock();
  if (!isBelow(path))
    return;
  number = ++state.count;
  const bool chosen = state.failAt && (number == state.failAt || (state.failAll && number > state.failAt));
  failing = chosen && state.code != 0;
  halved = chosen && state.code == 0 && name == "write";
  if (failing)
    errno = state.code;
  if (number == state.killAt && !state.killAfter)
    die();
}

long Operation::end(long result, long descriptor, long offset, const void *data) {
  const int code = errno;
  if (number > 0 && state.log >= 0) {
    char line[2304];
    const long bytes = data && result > 0 ? result : 0;
    const int length = std::snprintf(line, sizeof line, "%ld\t%.*s\t%ld\t%ld\t%ld\t%ld\t%.*s\t%.*s\n", number,
                                     static_cast<int>(name.size()), name.data(), result < 0 ? -code : result,
                                     descriptor, offset, bytes, static_cast<int>(path.size()), path.data(),
                                     static_cast<int>(target.size()), target.data());
    writeAll(state.log, line, static_cast<size_t>(length));
    if (bytes)
      writeAll(state.log, data, static_cast<size_t>(bytes));
  }
  if (number > 0 && number == state.killAt && state.killAfter)
    die();
  mutex.unlock();
  errno = code;
  return result;
}

std::string_view pathOf(int descriptor) {
  return descriptor >= 0 && descriptor < static_cast<int>(paths.size()) ? paths[descriptor].data() : "";
}

void opened(int descriptor, const char *path) {
  const std::lock_guard lock(mutex);
  if (descriptor >= 0 && descriptor < static_cast<int>(paths.size()))
    std::snprintf(paths[descriptor].data(), paths[descriptor].size(), "%s", isBelow(path) ? path : "");
}

void closed(int descriptor) { opened(descriptor, ""); }

} // namespace faults

using namespace faults;

extern "C" void strettoBeginFaults() {
  state = {};
  std::snprintf(state.below, sizeof state.below, "%s", setting("STRETTO_FAULTS_BELOW"));
  char when[16] = "";
  if (std::sscanf(setting("STRETTO_FAULTS_FAIL"), "%ld:%d:%15s", &state.failAt, &state.code, when) == 3)
    state.failAll = true;
  if (std::sscanf(setting("STRETTO_FAULTS_KILL"), "%ld:%15s", &state.killAt, when) == 2)
    state.killAfter = std::strcmp(when, "after") == 0;
  if (const char *log = setting("STRETTO_FAULTS_LOG"); *log) {
    state.log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (state.log < 0)
      abort();
    constexpr std::string_view begin = "0\tbegin\t0\t-1\t-1\t0\t\t\n";
    writeAll(state.log, begin.data(), begin.size());
  }
  beginAllocations(setting("STRETTO_FAULTS_ALLOCATION"));
}

__attribute__((constructor)) static void begin() { strettoBeginFaults(); }
