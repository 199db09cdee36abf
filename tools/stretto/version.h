// `stretto --version`.
#pragma once

namespace stretto::tools {

// Prints the version and the commit of Stretto, then what its compiler says of itself, where that was built.
void printVersion();

} // namespace stretto::tools
