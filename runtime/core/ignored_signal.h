// Signals that whoever started this process wants to be ignored, as nohup does SIGHUP.
#pragma once

#include <csignal>

namespace stretto::runtime {

inline bool isIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace stretto::runtime
