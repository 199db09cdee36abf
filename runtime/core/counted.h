// Counts in messages.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace stretto::runtime {

// "rank", of any other number than one "ranks".
template <std::integral Count> std::string plural(Count count, std::string_view noun) {
  return std::string(noun) + (count == 1 ? "" : "s");
}

// "1 rank", "2 ranks".
template <std::integral Count> std::string counted(Count count, std::string_view noun) {
  return std::to_string(count) + " " + plural(count, noun);
}

} // namespace stretto::runtime
