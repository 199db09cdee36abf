// Runs many compiled programs in one process, so that tests of hundreds of models load LibTorch once. Each line of
// standard input is the path of a shared object (a compiled object, linked with nothing) and the arguments of a
// training program, separated by tabs; after each run a line "status N" goes to standard output. Messages of the
// programs go to standard error.
#include "runtime/program/program.h"
#include "tasks/all_tasks.h"

#include <dlfcn.h>
#include <iostream>
#include <sstream>

static std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');)
    words.push_back(word);
  return words;
}

static int runObject(const std::vector<std::string> &words, const stretto::runtime::TaskRegistry &tasks) {
  void *object = dlopen(words.at(0).c_str(), RTLD_NOW | RTLD_LOCAL);
  const void *symbol = object ? dlsym(object, "stretto_compiled_program") : nullptr;
  if (!symbol) {
    std::cerr << dlerror() << "\n";
    return 1;
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  const auto &program = *static_cast<const stretto_program *>(symbol);
  const int status = stretto::runtime::runProgram(program, tasks, static_cast<int>(arguments.size()), arguments.data());
  dlclose(object);
  return status;
}

int main() {
  const stretto::runtime::TaskRegistry tasks = stretto::tasks::allTasks();
  for (std::string line; std::getline(std::cin, line);)
    std::cout << "status " << runObject(split(line), tasks) << std::endl;
}
