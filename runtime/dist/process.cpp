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
  Descriptor out, in; // where what was written comes from; where it is written

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
  }
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
    become(command, arguments.data(), environment.data(), printed.in.get(), parent);
    failure = errno;
    [[maybe_unused]] const ssize_t written = write(failures.in.get(), &failure, sizeof failure);
    _exit(127);
  }
  failures.in = Descriptor(); // closed: what is left is that of the new process
  ssize_t got = 0;
  while (id > 0 && (got = read(failures.out.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (got > 0) // else exec closed the pipe
    waitpid(id, nullptr, 0);
  if (failure) {
    id = 0;
    throw Error("cannot start '" + command.path + "': " + std::strerror(failure));
  }
  if (!command.isQuiet)
    return;
  output = std::move(printed.out);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
}

Process::Process(Process &&other) noexcept
    : id(std::exchange(other.id, 0)), ended(other.ended), output(std::move(other.output)), tail(std::move(other.tail)) {
}

Process::~Process() {
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
  while (output.isOpen() && (count = read(output.get(), buffer, sizeof buffer)) > 0) {
    tail.append(buffer, static_cast<size_t>(count));
    if (tail.size() > 2 * keptBytes)
      tail.erase(0, tail.size() - keptBytes);
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR))
    output = Descriptor();
}

} // namespace stretto::runtime
