// stretto: one command for all that the tools do.
#include "tools/stretto/commands.h"
#include "tools/stretto/error.h"
#include "tools/support/streams.h"

#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char **argv) {
  stretto::tools::openClosedStreams();
  stretto::tools::outliveFileLimit();
  try {
    const int status = stretto::tools::runCommand(std::vector<std::string>(argv + 1, argv + argc));
    if (status != 0 || stretto::tools::outputIsWritten())
      return status;
    throw stretto::tools::CommandError("the output could not be written");
  } catch (const stretto::tools::CommandError &error) {
    if (*error.what())
      std::fprintf(stderr, "stretto: %s\n", error.what());
    return error.status;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "stretto: %s\n", error.what());
    return 1;
  }
}
