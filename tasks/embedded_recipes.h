// The texts of tasks/recipes/*.toml, written by the build.
#pragma once

#include <span>
#include <string_view>

namespace stretto::tasks {

struct EmbeddedRecipe {
  std::string_view task, text;
};

extern const std::span<const EmbeddedRecipe> embeddedRecipes;

} // namespace stretto::tasks
