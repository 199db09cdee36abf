#include "tools/demo/child.h"

#include "runtime/core/error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stretto {

Child::Child(const std::vector<std::string> &command, const std::filesystem::path &log) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  int failure = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure)
    throw Error("cannot start '" + command[0] + "' with its output in '" + log.string() + "': " +
                std::strerror(failure));
}

Child::Child(Child &&other) noexcept : pid(std::exchange(other.pid, 0)), ended(other.ended) {}

Child::~Child() {
  if (pid == 0)
    return;
  kill(pid, SIGINT);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Child::status() {
  int state = 0;
  if (pid != 0 && waitpid(pid, &state, WNOHANG) == pid) {
    ended = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    pid = 0;
  }
  return ended;
}

} // namespace stretto
