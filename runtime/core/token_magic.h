// How files of tokens begin (tasks/tokens/token_file.h), for those who are given one in place of another file.
#pragma once

#include <string_view>

namespace stretto::runtime {

inline constexpr std::string_view tokenMagic = "sttokens";

} // namespace stretto::runtime
