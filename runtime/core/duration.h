// How long something takes, for people.
#pragma once

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace stretto::runtime {

// "0:07", "12:30" or "3:05:00".
inline std::string formatDuration(double seconds) {
  const int64_t whole = std::llround(seconds), hours = whole / 3600, minutes = whole / 60 % 60;
  return hours ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
               : fmt::format("{}:{:02}", minutes, whole % 60);
}

} // namespace stretto::runtime
