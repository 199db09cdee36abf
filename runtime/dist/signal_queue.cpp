// Signals that are taken one after the other, instead of by handlers.
#include "runtime/dist/signal_queue.h"

#include "runtime/core/error.h"
#include "runtime/core/ignored_signal.h"

#include <cerrno>
#include <cstring>

#include <sys/signalfd.h>
#include <unistd.h>

namespace stretto::runtime {

SignalQueue::SignalQueue() {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD})
    sigaddset(&taken, number);
  if (!isIgnored(SIGHUP)) // one that is blocked waits even where it is ignored
    sigaddset(&taken, SIGHUP);
  // Where SIGCHLD is ignored, the kernel forgets how children ended.
  struct sigaction remember = {};
  remember.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &remember, &childAction);
  sigprocmask(SIG_BLOCK, &taken, &before);
  queue = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
  if (queue < 0)
    throw Error(std::string("cannot wait for signals: ") + std::strerror(errno));
}

SignalQueue::~SignalQueue() {
  close(queue);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  sigaction(SIGCHLD, &childAction, nullptr);
}

std::optional<int> SignalQueue::next() {
  signalfd_siginfo signal;
  if (read(queue, &signal, sizeof signal) != sizeof signal)
    return std::nullopt;
  return static_cast<int>(signal.ssi_signo);
}

} // namespace stretto::runtime
