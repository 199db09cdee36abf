// A process of a run: a program that this process started, watches, and takes along when it goes.
#pragma once

#include "runtime/core/descriptor.h"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace stretto::runtime {

struct ProcessCommand {
  std::string path;                                // of the program
  std::vector<std::string> arguments, environment; // its name first; NAME=VALUE
  sigset_t blocked = {};                           // signals that it starts with blocked
  int descriptor = -1;                             // one that it gets beside the standard streams; -1: none
  bool isQuiet = false;                            // it reads nothing, and what it prints is kept here
};

// Its process group is its own, so that a Ctrl-C of the terminal reaches it through this object alone. The kernel kills
// it when this process dies, and the destructor where it has not ended.
class Process {
public:
  // Throws Error where it cannot be started.
  explicit Process(const ProcessCommand &command);
  Process(Process &&other) noexcept;
  Process &operator=(Process &&) = delete;
  ~Process();

  pid_t pid() const { return id; }
  bool isRunning() const { return id != 0 && !ended; }

  // Looks whether it has ended; if so, all that it started ends, too. The status is waitpid's.
  std::optional<int> status();

  // Whether a signal has stopped it (SIGSTOP), so that it hears of no other until it goes on.
  bool isHalted() const;

  // To it and all that it started. Nothing happens after its end.
  void signal(int number) const;

  // Where its output comes from, for poll; -1 where it has none, or has closed it.
  int outputDescriptor() const { return output.get(); }
  // Takes what it has printed so far; does not wait.
  void readOutput();
  // The last of what was taken: at least the last 16 KiB.
  const std::string &said() const { return tail; }

private:
  pid_t id = 0; // 0: moved from
  std::optional<int> ended;
  Descriptor output;
  std::string tail;
};

} // namespace stretto::runtime
