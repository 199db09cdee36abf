// Reading TOML that may come from strangers.
#pragma once

#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace stretto::runtime {

// The table of a file; `path` is for messages. Throws Error "path:line: not a TOML file: what is wrong".
toml::table parseToml(std::string_view text, const std::string &path);

} // namespace stretto::runtime
