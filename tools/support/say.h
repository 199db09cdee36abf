// What is told on standard output.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace stretto::tools {

// Whether it was taken is asked once, at the end: outputIsWritten of tools/support/streams.h.
template <typename... Values> void say(fmt::format_string<Values...> format, Values &&...values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

} // namespace stretto::tools
