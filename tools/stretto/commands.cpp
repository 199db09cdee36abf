#include "tools/stretto/commands.h"

#include "tools/stretto/error.h"
#include "tools/stretto/process.h"
#include "tools/stretto/train.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

namespace stretto {

// A command that is another program: `program` with `leading` before the user's arguments.
struct Command {
  std::string_view name, program, leading, help;
};

static constexpr std::array commands{
    Command{"train", "", "", "compile a spec and train the model on a task"},
    Command{"program", "", "", "compile a spec as train does and print the path of the program"},
    Command{"compile", "stretto-compile", "", "compile a spec to a program, or stop at any stage"},
    Command{"explain", "stretto-compile", "explain", "say what was fused into what, what was not, and why"},
    Command{"summary", "stretto-compile", "summary", "parameters, FLOPs, bytes and memory per block"},
    Command{"fmt", "stretto-compile", "fmt", "lay out a spec, comments kept"},
    Command{"opt", "stretto-opt", "", "run passes on IR files"},
    Command{"data", "stretto-data", "", "look at the data of a task"},
    Command{"eval", "stretto-eval", "", "score a trained model"},
    Command{"compare", "stretto-compare", "", "put runs side by side"},
};

static void printHelp() {
  std::puts("usage: stretto <command> [arguments]\n");
  for (const Command &command : commands)
    std::printf("  %-9s  %.*s\n", std::string(command.name).c_str(), static_cast<int>(command.help.size()),
                command.help.data());
  std::puts("\n  help [command]   this text, or what a command takes\n"
            "  --version        the version of Stretto\n\n"
            "train and program share one command line: options of the compiler (--set, --task, --batch, --dtype, ...)\n"
            "and of the program (--steps, --seed, --run, ...) may stand in any order.\n\n"
            "example: stretto train models/hello.stretto --task depo1 --steps 500");
}

static CommandError unknownCommand(const std::string &name) {
  std::vector<std::string> names{"help"};
  for (const Command &command : commands)
    names.emplace_back(command.name);
  std::string nearest = nearestName(name, names);
  return CommandError("unknown command '" + name + "'" +
                          (nearest.empty() ? "; see 'stretto help'" : "; did you mean '" + nearest + "'?"),
                      2);
}

static const Command &findCommand(const std::string &name) {
  auto it = std::find_if(commands.begin(), commands.end(), [&](const Command &c) { return c.name == name; });
  if (it == commands.end())
    throw unknownCommand(name);
  return *it;
}

static int runHelp(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    printHelp();
    return 0;
  }
  const Command &command = findCommand(arguments[0]);
  if (!command.program.empty()) {
    std::vector<std::string> forwarded{"--help"};
    if (!command.leading.empty())
      forwarded.insert(forwarded.begin(), std::string(command.leading));
    becomeProgram(siblingProgram(std::string(command.program)), forwarded);
  }
  std::printf("usage: stretto %s <spec.stretto> [options]\n\n", arguments[0].c_str());
  std::puts("Compiles the spec through the cache. The compiler's options are those of 'stretto help compile' that\n"
            "shape the program; all others, and what follows '--', belong to the program: see 'stretto train\n"
            "<spec.stretto> --task <task> --help'.\n\n"
            "The cache is the folder $STRETTO_CACHE, else $XDG_CACHE_HOME/stretto, else ~/.cache/stretto.");
  return 0;
}

int runCommand(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    printHelp();
    return 2;
  }
  const std::string &name = arguments[0];
  arguments = arguments.subspan(1);
  if (name == "help" || name == "--help" || name == "-h")
    return runHelp(arguments);
  if (name == "--version") {
    std::puts("stretto " STRETTO_VERSION);
    return 0;
  }
  const Command &command = findCommand(name);
  if (!command.program.empty()) {
    std::vector<std::string> forwarded(arguments.begin(), arguments.end());
    if (!command.leading.empty())
      forwarded.insert(forwarded.begin(), std::string(command.leading));
    becomeProgram(siblingProgram(std::string(command.program)), forwarded);
  }
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h"))
    return runHelp(std::span(&name, 1));
  TrainArguments split = splitTrainArguments(arguments);
  std::string program = cachedProgram(split);
  if (name == "train")
    becomeProgram(program, split.program);
  std::puts(program.c_str());
  return 0;
}

} // namespace stretto
