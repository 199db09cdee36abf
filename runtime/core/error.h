// The one exception type of the runtime: a message for the user.
#pragma once

#include <stdexcept>
#include <string>

namespace stretto::runtime {

// A failure that is told to the user as it stands: lower case, constraint first, no final period.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message) : std::runtime_error(message) {}
};

} // namespace stretto::runtime
