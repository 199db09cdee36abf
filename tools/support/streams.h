// The standard streams of a program, as it begins and ends.
#pragma once

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace stretto::tools {

// Opens those that were closed on nothing. The first file of the program would otherwise take the place of one, and get
// what is printed.
inline void openClosedStreams() {
  int opened = 0;
  while ((opened = open("/dev/null", O_RDWR)) >= 0 && opened <= STDERR_FILENO)
    continue;
  if (opened > STDERR_FILENO)
    close(opened);
}

// Writing beyond the limit of what a file may have (ulimit -f) fails, as on a full disk, instead of ending this
// process.
inline void outliveFileLimit() { std::signal(SIGXFSZ, SIG_IGN); }

// Whether standard output took all that was printed.
inline bool outputIsWritten() { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

} // namespace stretto::tools
