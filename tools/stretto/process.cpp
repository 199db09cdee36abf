// Starting other programs.
#include "tools/stretto/process.h"

#include "tools/stretto/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace stretto::tools {

namespace fs = std::filesystem;

fs::path siblingProgram(const std::string &name) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw CommandError("cannot find out where this program lies: " + error.message());
  fs::path program = self.parent_path() / name;
  if (access(program.c_str(), X_OK) != 0)
    throw CommandError("cannot run '" + program.string() + "': " + std::strerror(errno) +
                       " (was this part of Stretto built?)");
  return program;
}

// argv for exec; points into its arguments.
static std::vector<char *> argumentVector(const fs::path &program, const std::vector<std::string> &arguments) {
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

static CommandError startError(const fs::path &program, int code) {
  return CommandError("cannot start '" + program.string() + "': " + std::strerror(code));
}

void becomeProgram(const fs::path &program, const std::vector<std::string> &arguments) {
  execv(program.c_str(), argumentVector(program, arguments).data());
  throw startError(program, errno);
}

static pid_t spawn(const fs::path &program, const std::vector<std::string> &arguments,
                   posix_spawn_file_actions_t *actions) {
  pid_t child = 0;
  int code = posix_spawn(&child, program.c_str(), actions, nullptr, argumentVector(program, arguments).data(), environ);
  if (code != 0)
    throw startError(program, code);
  return child;
}

static int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw CommandError(std::string("cannot wait for a program: ") + std::strerror(errno));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string startFailure(const fs::path &program) {
  try {
    outputOf(program, {"--version"}, Errors::Told);
    return "";
  } catch (const CommandError &error) {
    return error.what();
  }
}

int runProgram(const fs::path &program, const std::vector<std::string> &arguments) {
  return waitFor(spawn(program, arguments, nullptr));
}

// All that comes from the end of a pipe, which is closed then.
static std::string readAll(int end) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(end, buffer, sizeof buffer)) != 0;) {
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      break;
  }
  close(end);
  return text;
}

// Runs a program to its end, and adds to `written` what it writes to these of its streams; returns its exit status.
// `dropsErrors`: its standard error goes nowhere.
static int readStreams(const fs::path &program, const std::vector<std::string> &arguments,
                       std::initializer_list<int> streams, bool dropsErrors, std::string &written) {
  int ends[2];
  if (pipe(ends) != 0)
    throw CommandError(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : streams)
    posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  if (dropsErrors)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const pid_t child = spawn(program, arguments, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  written += readAll(ends[0]);
  return waitFor(child);
}

int runProgram(const fs::path &program, const std::vector<std::string> &arguments, std::string &errors) {
  return readStreams(program, arguments, {STDERR_FILENO}, /*dropsErrors=*/false, errors);
}

// ": " and the last line that says something, if any does.
static std::string lastWords(std::string text) {
  text.resize(text.find_last_not_of(" \n") + 1);
  return text.empty() ? "" : ": " + text.substr(text.find_last_of('\n') + 1);
}

std::string outputOf(const fs::path &program, const std::vector<std::string> &arguments, Errors errors) {
  std::string output;
  const int status = errors == Errors::Told
                         ? readStreams(program, arguments, {STDOUT_FILENO, STDERR_FILENO}, false, output)
                         : readStreams(program, arguments, {STDOUT_FILENO}, errors == Errors::Dropped, output);
  if (status != 0)
    throw CommandError("'" + program.filename().string() + "' failed (exit status " + std::to_string(status) + ")" +
                       (errors == Errors::Told ? lastWords(output) : ""));
  return output;
}

} // namespace stretto::tools
