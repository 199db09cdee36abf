// How much of a large set of cases runs: a part each time, all where tests run whole, as test/support/whole.py has it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace stretto::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STRETTO_IS_SANITIZED
#endif
#endif
#ifdef STRETTO_IS_SANITIZED
inline constexpr bool isSanitized = true; // what is compiled here takes some 20 times as long
#else
inline constexpr bool isSanitized = false;
#endif
#undef STRETTO_IS_SANITIZED

/// The distance between cases that run: `step`, or 1 where tests run whole.
inline int64_t stepOf(int64_t step) {
  const char *tests = std::getenv("STRETTO_TESTS");
  return tests && std::string_view(tests) == "whole" ? 1 : step;
}

/// Each `step`th case, or all.
template <typename Case> std::vector<Case> every(int64_t step, const std::vector<Case> &cases) {
  std::vector<Case> chosen;
  for (size_t i = 0; i < cases.size(); i += stepOf(step))
    chosen.push_back(cases[i]);
  return chosen;
}

} // namespace stretto::test
