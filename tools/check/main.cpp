// stretto-check: what the user asks of a training program, checked before there is one.
#include "runtime/core/error.h"
#include "runtime/core/whole_number.h"
#include "runtime/device/names.h"
#include "runtime/program/request.h"
#include "tasks/all_tasks.h"
#include "tools/support/streams.h"

#include <cstring>
#include <iostream>

using namespace stretto;

namespace {
constexpr const char *usage =
    "usage: stretto-check [--target NAME] [--length N] [--vocab N] -- [options of a program]\n"
    "       stretto-check --options\n"
    "       stretto-check --task-of FILE\n\n"
    "Tells what is wrong with a run as far as that is known without the model, of which the first\n"
    "options say what they can; the second form lists what programs take, the third, a word a line, what\n"
    "a file of settings gives to the compiler as well.\n";
} // namespace

// 0, so not known, for what is no number: the compiler refuses it.
static int64_t numberOf(const std::string &text) {
  int64_t number = 0;
  return runtime::parseWholeNumber(text, number) ? number : 0;
}

// Reads the options up to "--"; returns how many words they are.
static int readModel(int argc, char **argv, runtime::ModelShape &model) {
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; at += 2) {
    const std::string name = argv[at], value = at + 1 < argc ? argv[at + 1] : "";
    if (value.empty())
      throw runtime::Error(name + " needs a value");
    if (name == "--target")
      model.target = runtime::isTarget(value) ? argv[at + 1] : ""; // as for numbers
    else if (name == "--length")
      model.length = numberOf(value);
    else if (name == "--vocab")
      model.vocabulary = numberOf(value);
    else
      throw runtime::Error("unknown option '" + name + "'");
  }
  return at;
}

static void check(int argc, char **argv) {
  runtime::ModelShape model{.target = {}, .compiled = false};
  const int words = readModel(argc, argv, model);
  const auto line = runtime::parseCommandLine(argc - words, argv + words, "", "");
  if (!line)
    return;
  const runtime::TaskRegistry tasks = tasks::allTasks();
  runtime::RunConfig config = runtime::configure(*line, "model", tasks);
  runtime::settleLength(config, model);
  if (!config.task.empty() && (!config.writesOnly() || !model.length || !model.vocabulary)) {
    const std::unique_ptr<runtime::Task> task = runtime::makeTask(config, model, tasks);
    model.length = task->length();
    model.vocabulary = model.vocabulary ? model.vocabulary : task->vocabulary();
  }
  runtime::checkRequest(config, model, tasks);
}

// What the compiler reads, too, of a file for --config.
static void printTaskOf(const std::string &path) {
  const runtime::ConfigLayer layer = runtime::readConfigFile(path);
  for (const char *name : {"task", "preset", "nll-square", "z-loss", "lr-factors", "weight-decay-factors"})
    if (const auto found = layer.options.find(name); found != layer.options.end() && !found->second.text.empty())
      std::cout << "--" << name << "\n" << found->second.text << "\n";
  for (const auto &[name, value] : layer.taskSettings)
    std::cout << "--task-set\n" << name << "=" << value.text << "\n";
}

int main(int argc, char **argv) {
  tools::openClosedStreams();
  try {
    if (argc == 2 && argv[1] == std::string("--options"))
      std::cout << runtime::programOptionsHelp();
    else if (argc == 3 && argv[1] == std::string("--task-of"))
      printTaskOf(argv[2]);
    else if (argc < 2 || argv[1] == std::string("--help"))
      std::cout << usage;
    else
      check(argc, argv);
    if (!tools::outputIsWritten())
      throw runtime::Error("the output could not be written");
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
