// How a violation ends the process.
#pragma once

#include <string>

namespace stretto::emulator {

// Hands the message to the hook and ends the process with status 70. Only the first of several threads gets that far.
[[noreturn]] void report(const std::string &message);

} // namespace stretto::emulator
