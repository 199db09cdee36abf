// A process of a run: started, watched, taken along.
#include "runtime/dist/process.h"

#include "runtime/core/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

constexpr size_t keptBytes = 16 << 10;

struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(int end) {
    if (const int descriptor = take(end); descriptor >= 0)
      close(descriptor);
  }
  int take(int end) { return std::exchange(ends[end], -1); }
};

// Pointers into texts, for exec.
std::vector<char *> pointers(const std::vector<std::string> &texts) {
  std::vector<char *> result;
  for (const std::string &text : texts)
    result.push_back(const_cast<char *>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

bool quieten(int output) {
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return input >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
         dup2(output, STDERR_FILENO) >= 0;
}

// In the new process: becomes the program. Only what is safe after a fork; returns where that fails, with errno set.
void become(const ProcessCommand &command, char *const *arguments, char *const *environment, int output, pid_t parent) {
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return;
  if (getppid() != parent)
    _exit(128 + SIGKILL); // it died before
  if (command.isQuiet && !quieten(output))
    return;
  if (command.descriptor >= 0 && fcntl(command.descriptor, F_SETFD, 0) != 0)
    return;
  if (sigprocmask(SIG_SETMASK, &command.blocked, nullptr) == 0)
    execve(command.path.c_str(), arguments, environment);
}

} // namespace

Process::Process(const ProcessCommand &command) {
  const std::vector<char *> arguments = pointers(command.arguments), environment = pointers(command.environment);
  Pipe failures, printed;
  const pid_t parent = getpid();
  id = fork();
  int failure = id < 0 ? errno : 0;
  if (id == 0) {
    become(command, arguments.data(), environment.data(), printed.ends[1], parent);
    failure = errno;
    [[maybe_unused]] const ssize_t written = write(failures.ends[1], &failure, sizeof failure);
    _exit(127);
  }
  failures.closeEnd(1);
  ssize_t got = 0;
  while (id > 0 && (got = read(failures.ends[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (got > 0) // else exec closed the pipe
    waitpid(id, nullptr, 0);
  if (failure) {
    id = 0;
    throw Error("cannot start '" + command.path + "': " + std::strerror(failure));
  }
  if (!command.isQuiet)
    return;
  output = printed.take(0);
  fcntl(output, F_SETFL, O_NONBLOCK);
}

Process::Process(Process &&other) noexcept
    : id(std::exchange(other.id, 0)), ended(other.ended), output(std::exchange(other.output, -1)),
      tail(std::move(other.tail)) {}

Process::~Process() {
  closeOutput();
  if (!isRunning())
    return;
  signal(SIGKILL);
  while (waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Process::status() {
  siginfo_t information = {};
  if (!isRunning() || waitid(P_PID, static_cast<id_t>(id), &information, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      information.si_pid != id)
    return ended;
  kill(-id, SIGKILL); // what it has left behind; only now nobody else can have the number of its group
  int state = 0;
  if (waitpid(id, &state, WNOHANG) == id)
    ended = state;
  return ended;
}

bool Process::isHalted() const {
  siginfo_t information = {};
  return isRunning() && waitid(P_PID, static_cast<id_t>(id), &information, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == id;
}

void Process::signal(int number) const {
  if (isRunning())
    kill(-id, number);
}

void Process::readOutput() {
  char buffer[4096];
  ssize_t count = 0;
  while (output >= 0 && (count = read(output, buffer, sizeof buffer)) > 0) {
    tail.append(buffer, static_cast<size_t>(count));
    if (tail.size() > 2 * keptBytes)
      tail.erase(0, tail.size() - keptBytes);
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR))
    closeOutput();
}

void Process::closeOutput() {
  if (output >= 0)
    close(output);
  output = -1;
}

} // namespace stretto::runtime
