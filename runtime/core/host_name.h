// The name that this host has for itself.
#pragma once

#include <string>
#include <unistd.h>

namespace stretto::runtime {

inline std::string hostName() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 && *name ? name : "unknown";
}

} // namespace stretto::runtime
