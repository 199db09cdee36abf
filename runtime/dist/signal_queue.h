// Signals that are taken one after the other, instead of by handlers.
#pragma once

#include <csignal>
#include <optional>

namespace stretto::runtime {

// As long as it lives, signals wait in a descriptor: SIGCHLD, SIGINT, SIGTERM, and SIGHUP unless it is ignored (as
// nohup has it).
class SignalQueue {
public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue &) = delete;
  SignalQueue &operator=(const SignalQueue &) = delete;

  int descriptor() const { return queue; } // for poll
  std::optional<int> next();               // does not wait
  const sigset_t &blockedBefore() const { return before; }

private:
  sigset_t before = {};
  struct sigaction childAction = {};
  int queue = -1;
};

} // namespace stretto::runtime
