// Ctrl-C, SIGTERM and SIGHUP (unless it is ignored, as nohup has it).
#include "runtime/train/signals.h"

#include "runtime/core/ignored_signal.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace stretto::runtime {
namespace {

// Handlers run on any thread, and others ask.
std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free, "handlers must not lock");

void onStop(int number) {
  if (received.exchange(number))
    _exit(128 + number);
}

void onLostOutput(int number) {
  int none = 0;
  received.compare_exchange_strong(none, number);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

} // namespace

void catchStopSignals() {
  handle(SIGINT, onStop);
  handle(SIGTERM, onStop);
  if (!isIgnored(SIGHUP))
    handle(SIGHUP, onStop);
}

void outliveFileLimit() { handle(SIGXFSZ, SIG_IGN); }

void catchLostOutput() { handle(SIGPIPE, onLostOutput); }

int stopSignal() { return received; }

} // namespace stretto::runtime
