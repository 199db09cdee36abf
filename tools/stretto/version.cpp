// `stretto --version`.
#include "tools/stretto/version.h"

#include "tools/stretto/error.h"
#include "tools/stretto/process.h"

#include "commit.h"

#include <cstdio>

namespace stretto::tools {

void printVersion() {
  std::printf("stretto %s (%s)\n", STRETTO_VERSION, STRETTO_COMMIT);
  std::fflush(stdout);
  try {
    std::fputs(outputOf(siblingProgram("stretto-compile"), {"--version"}, Errors::Shown).c_str(), stdout);
  } catch (const CommandError &) {
    std::puts("without the compiler");
  }
}

} // namespace stretto::tools
