// Whole numbers that users write.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace stretto::runtime {

inline bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A whole number in digits, or as a real that is one: 1e3, 2.5e4. Returns whether the text is one.
inline bool parseWholeNumber(std::string_view text, int64_t &value) {
  const char *begin = text.data(), *end = begin + text.size();
  if (const auto [stop, error] = std::from_chars(begin, end, value); error == std::errc() && stop == end)
    return true;
  double real = 0;
  const auto [stop, error] = std::from_chars(begin, end, real);
  if (error != std::errc() || stop != end || std::trunc(real) != real || std::abs(real) > 0x1p53)
    return false;
  value = static_cast<int64_t>(real);
  return true;
}

// Whether a text is a whole number of a range, which is the value then.
inline bool isWholeNumber(std::string_view text, int64_t low, int64_t high, int64_t &value) {
  return parseWholeNumber(text, value) && value >= low && value <= high;
}

// What is said of a text that is none.
inline std::string notWholeNumber(std::string_view text, int64_t low, int64_t high) {
  return "must be an integer in " + std::to_string(low) + ".." + std::to_string(high) + ", but got '" +
         std::string(text) + "'";
}

} // namespace stretto::runtime
