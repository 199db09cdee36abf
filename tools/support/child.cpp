// A program that runs beside this one.
#include "tools/support/child.h"

#include "runtime/core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stretto::tools {

// In the new process: becomes the program. Only what is safe after a fork; returns the error number where that fails.
static int becomeCommand(char *const *arguments, const char *log, pid_t parent) {
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
    return errno;
  if (getppid() != parent)
    _exit(128 + SIGTERM); // it died before
  const int input = open("/dev/null", O_RDONLY), output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (input < 0 || output < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0)
    return errno;
  close(input);
  close(output);
  execv(arguments[0], arguments);
  return errno;
}

Child::Child(const std::vector<std::string> &command, const std::filesystem::path &log) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2], failure = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw runtime::Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const pid_t parent = getpid();
  pid = fork();
  if (pid == 0) {
    failure = becomeCommand(arguments.data(), log.c_str(), parent);
    [[maybe_unused]] ssize_t written = write(ends[1], &failure, sizeof failure);
    _exit(127);
  }
  if (pid < 0)
    failure = errno;
  close(ends[1]);
  if (pid > 0 && read(ends[0], &failure, sizeof failure) > 0) // nothing: the pipe was closed by exec
    waitpid(pid, nullptr, 0);
  close(ends[0]);
  if (failure) {
    pid = 0;
    throw runtime::Error("cannot start '" + command[0] + "' with its output in '" + log.string() +
                         "': " + std::strerror(failure));
  }
}

Child::Child(Child &&other) noexcept : pid(std::exchange(other.pid, 0)), ended(other.ended) {}

Child::~Child() {
  if (pid == 0)
    return;
  interrupt();
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Child::interrupt() {
  if (pid != 0)
    kill(-pid, SIGINT);
}

std::optional<int> Child::status() {
  int state = 0;
  if (pid != 0 && waitpid(pid, &state, WNOHANG) == pid) {
    ended = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    pid = 0;
  }
  return ended;
}

} // namespace stretto::tools
