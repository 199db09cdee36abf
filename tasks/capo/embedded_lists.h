// The texts of tasks/capo/lists/*.txt, written by the build.
#pragma once

#include <span>
#include <string_view>

namespace stretto::tasks {

struct EmbeddedList {
  std::string_view name, text;
};

extern const std::span<const EmbeddedList> embeddedLists;

} // namespace stretto::tasks
