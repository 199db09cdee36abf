// Characters of texts in UTF-8.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace stretto::frontend {

/// The first character of a text; where that is no UTF-8, its first byte.
struct Character {
  uint32_t code = 0;
  llvm::StringRef bytes;
  bool isValid = false;
};
Character firstCharacter(llvm::StringRef text);

/// Columns of a terminal that it takes.
unsigned columnsOf(const Character &character);

/// "character 'é' (U+00E9)", "character U+009B", "byte 0xE9, which is no UTF-8".
std::string describe(const Character &character);

/// The text with '?' for what is not printable; tabs stay.
std::string printable(llvm::StringRef text);

} // namespace stretto::frontend
