// A program that runs beside this one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace stretto::tools {

// Started with its output in a log file and in a process group of its own, so that a Ctrl-C of the terminal reaches it
// through this object alone. It is told to stop (SIGTERM) when this process dies in whatever way; when the object goes
// away, it is interrupted and waited for.
class Child {
public:
  // command[0] is the program's path. Throws Error where it cannot be started.
  Child(const std::vector<std::string> &command, const std::filesystem::path &log);
  Child(Child &&other) noexcept;
  Child &operator=(Child &&) = delete;
  ~Child();

  // Its exit status (128 + n where signal n ended it) once it has ended.
  std::optional<int> status();

  // Sends SIGINT to it and what it started: a training program then writes a checkpoint and ends; at the second one
  // it ends at once.
  void interrupt();

private:
  pid_t pid = 0; // 0: ended, or moved from
  std::optional<int> ended;
};

} // namespace stretto::tools
