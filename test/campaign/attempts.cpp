// Runs compiled programs thousands of times: LibTorch is loaded once, and each attempt is a fork of this process, made
// before it has any other thread. Standard input has one request a line, its words separated by tabs:
//
//   run OBJECT DELAY OUTPUT SETTINGS ARGUMENTS...   a training program; killed after DELAY microseconds (0: never);
//   what
//                                                   it writes goes to the file OUTPUT; SETTINGS: NAME=VALUE,... of the
//                                                   library of faults
//   inspect OBJECT FOLDER...                        what a resume would find in each run directory
//
// OBJECT is a compiled object linked to a shared one. Answers: `exit N`, `signal N`; a line for each folder.
#include "runtime/core/error.h"
#include "runtime/program/program.h"
#include "tasks/all_tasks.h"
#include "test/campaign/inspect.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <poll.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" __attribute__((weak)) void strettoBeginFaults();
extern "C" __attribute__((weak)) long strettoAllocationsLeft();

namespace {

using Words = std::vector<std::string>;

Words split(const std::string &text, char separator) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    words.push_back(word);
  return words;
}

const stretto_program &load(const std::string &path) {
  static std::map<std::string, const stretto_program *> known;
  const stretto_program *&program = known[path];
  if (!program) {
    void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    program = object ? static_cast<const stretto_program *>(dlsym(object, "stretto_compiled_program")) : nullptr;
    if (!program)
      throw stretto::runtime::Error(dlerror());
  }
  return *program;
}

// At its end a process gives back what it has read ahead, so the requests must not be what a child reads.
void setStreams(const std::string &output) {
  const int none = open("/dev/null", O_RDONLY), file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (none < 0 || file < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(file, STDOUT_FILENO) < 0 ||
      dup2(file, STDERR_FILENO) < 0)
    _exit(99);
}

[[noreturn]] void beProgram(const stretto_program &program, const Words &words) {
  static const stretto::runtime::TaskRegistry tasks = stretto::tasks::allTasks();
  setStreams(words.at(3));
  std::vector<const char *> arguments{words[1].c_str()};
  for (size_t i = 5; i < words.size(); ++i)
    arguments.push_back(words[i].c_str());
  for (const std::string &setting : split(words[4], ','))
    putenv(strdup(setting.c_str()));
  if (strettoBeginFaults)
    strettoBeginFaults();
  const int status = stretto::runtime::runProgram(program, tasks, static_cast<int>(arguments.size()), arguments.data());
  if (strettoAllocationsLeft && strettoAllocationsLeft() > 1)
    std::printf("allocations left: %ld\n", strettoAllocationsLeft());
  std::fflush(nullptr);
  _exit(status); // LibTorch takes longer to end than the run
}

// Waits for the end of a child and kills it where it has not come after so many microseconds.
int await(pid_t child, int64_t microseconds) {
  if (microseconds > 0) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    pollfd ended{handle, POLLIN, 0};
    const timespec delay{microseconds / 1000000, microseconds % 1000000 * 1000};
    if (ppoll(&ended, 1, &delay, nullptr) == 0)
      kill(child, SIGKILL);
    close(handle);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

std::string attempt(const Words &words) {
  const stretto_program &program = load(words.at(1));
  const pid_t child = fork();
  if (child == 0)
    beProgram(program, words);
  if (child < 0)
    throw stretto::runtime::Error("cannot fork");
  const int status = await(child, std::stoll(words.at(2)));
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

std::string inspectAll(const Words &words) {
  std::ostringstream lines;
  for (size_t i = 2; i < words.size(); ++i) {
    lines << (i > 2 ? "\n" : "");
    try {
      lines << stretto::campaign::inspect(load(words[1]), words[i]);
    } catch (const std::exception &error) {
      lines << "error " << error.what();
    }
  }
  return lines.str();
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const Words words = split(line, '\t');
    try {
      std::cout << (words.at(0) == "run" ? attempt(words) : inspectAll(words)) << std::endl;
    } catch (const std::exception &error) {
      std::cout << "error " << error.what() << std::endl;
    }
  }
}
