// Whether text is coloured.
#pragma once

#include <cstdlib>
#include <unistd.h>

namespace stretto::runtime {

// A terminal, unless the user wants none (no-color.org).
inline bool wantsColour(int descriptor) {
  const char *noColour = std::getenv("NO_COLOR");
  return isatty(descriptor) && !(noColour && *noColour);
}

} // namespace stretto::runtime
