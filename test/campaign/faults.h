// What the library of faults shares among its files. It is loaded before the others (LD_PRELOAD) and works as the
// environment says when the process begins, or when strettoBeginFaults is called:
//
//   STRETTO_FAULTS_BELOW=FOLDER       only what happens at or below this absolute path counts
//   STRETTO_FAULTS_LOG=FILE           each operation is appended there, with the bytes that are written
//   STRETTO_FAULTS_FAIL=N:ERRNO[:all] operation N fails, or all from N on; ERRNO 0: a write takes half of its bytes
//   STRETTO_FAULTS_KILL=N:before      SIGKILL before operation N, or behind it (`after`)
//   STRETTO_FAULTS_ALLOCATION=N[:all] allocation N from now on fails, or all from N on
#pragma once

#include <cstddef>
#include <string_view>

extern "C" void strettoBeginFaults();

namespace faults {

// One operation on files, from its begin to its end; it is counted where its path is below the folder.
class Operation {
public:
  Operation(std::string_view name, std::string_view path, std::string_view target = "");
  // Whether it is to fail; errno is set.
  bool fails() const { return failing; }
  // How many bytes of a write are to be written.
  size_t allowed(size_t bytes) const { return halved ? bytes / 2 : bytes; }
  // Tells the log how it ended, with what else a replay needs; returns `result` with errno as it was.
  long end(long result, long descriptor = -1, long offset = -1, const void *data = nullptr);
  bool counts() const { return number > 0; }

private:
  std::string_view name, path, target;
  long number = 0; // 0: does not count
  bool failing = false, halved = false;
};

// Which path a descriptor was opened by; empty where it does not count.
std::string_view pathOf(int descriptor);
void opened(int descriptor, const char *path);
void closed(int descriptor);

void beginAllocations(const char *setting);

} // namespace faults
