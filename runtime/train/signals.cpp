#include "runtime/train/signals.h"

#include <csignal>
#include <unistd.h>

namespace stretto {
namespace {

volatile std::sig_atomic_t received = 0;

void onStop(int number) {
  if (received)
    _exit(128 + number);
  received = number;
}

} // namespace

void catchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = onStop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A limit on file sizes is then an error of write instead of the end.
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, nullptr);
}

int stopSignal() { return received; }

} // namespace stretto
