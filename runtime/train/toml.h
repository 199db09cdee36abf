// Reading TOML that may come from strangers, and writing it.
#pragma once

#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace stretto::runtime {

// The table of a file; `path` is for messages. Throws Error "path:line: not a TOML file: what is wrong".
toml::table parseToml(std::string_view text, const std::string &path);

// A text as TOML, quotes included; what is no UTF-8 becomes U+FFFD.
std::string quoteToml(std::string_view text);
// A text as a comment of one line, with \x.. in place of control signs and of what is no UTF-8.
std::string commentToml(std::string_view text);

} // namespace stretto::runtime
