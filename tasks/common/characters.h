// Which characters of a text are letters, numbers and white space, as Unicode has them.
#pragma once

#include <cstddef>
#include <string_view>

namespace stretto::tasks {

enum class CharacterKind { Letter, Number, Space, Sign };

// A character of UTF-8; a byte that begins none is a sign by itself.
struct Character {
  CharacterKind kind;
  size_t bytes;
};

// The one that a text, which is not empty, opens with.
Character firstCharacter(std::string_view text);

} // namespace stretto::tasks
