// Ctrl-C, SIGTERM and SIGHUP (unless it is ignored, as nohup has it).
#include "runtime/train/signals.h"

#include "runtime/core/ignored_signal.h"

#include <csignal>
#include <unistd.h>

namespace stretto::runtime {
namespace {

volatile std::sig_atomic_t received = 0;

void onStop(int number) {
  if (received)
    _exit(128 + number);
  received = number;
}

void onLostOutput(int number) {
  if (!received)
    received = number;
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
