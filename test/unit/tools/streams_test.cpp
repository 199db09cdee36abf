// Standard streams that are closed.
#include "tools/support/streams.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <sys/wait.h>

namespace stretto::tools {
namespace {

// Whether a file that is opened next is none of the streams, in a process that begins without some of them.
bool filesAreApart(std::initializer_list<int> closed) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int stream : closed)
      close(stream);
    openClosedStreams();
    bool apart = open("/dev/null", O_WRONLY) > STDERR_FILENO;
    for (const int stream : closed)
      apart &= fcntl(stream, F_GETFD) == 0;
    _exit(apart ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(Streams, NoFileTakesThePlaceOfOne) {
  EXPECT_TRUE(filesAreApart({}));
  for (const int stream : {0, 1, 2})
    EXPECT_TRUE(filesAreApart({stream})) << stream;
  EXPECT_TRUE(filesAreApart({0, 1}));
  EXPECT_TRUE(filesAreApart({0, 1, 2}));
}

} // namespace
} // namespace stretto::tools
