// Why a rank ended, for the user.
#pragma once

#include <string>
#include <string_view>

namespace stretto::runtime {

// Whether what a rank printed has a line that is an error.
bool toldError(std::string_view said);

// "rank 1 (pid 4711): " and the error that it printed last; else how it ended, with the last lines of what it printed.
// `status` is waitpid's.
std::string lastWords(int rank, int pid, int status, std::string_view said);

} // namespace stretto::runtime
