// The texts of tasks/lano/grammars/*.grammar, written by the build.
#pragma once

#include <span>
#include <string_view>

namespace stretto::tasks {

struct EmbeddedGrammar {
  std::string_view name, text;
};

extern const std::span<const EmbeddedGrammar> embeddedGrammars;

} // namespace stretto::tasks
