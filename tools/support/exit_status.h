// Exit statuses that say more than that something failed.
#pragma once

#include <string_view>

#include <sysexits.h>

namespace stretto::tools {

// Of stretto-compile: the program cannot be written. The last line of its errors says why.
inline constexpr int unwrittenStatus = EX_CANTCREAT;

// What its errors begin with.
inline constexpr std::string_view errorMark = "stretto: ";

} // namespace stretto::tools
