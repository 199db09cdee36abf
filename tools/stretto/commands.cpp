// The commands of `stretto`.
#include "tools/stretto/commands.h"

#include "runtime/core/nearest.h"
#include "tools/stretto/check.h"
#include "tools/stretto/completion.h"
#include "tools/stretto/error.h"
#include "tools/stretto/options.h"
#include "tools/stretto/process.h"
#include "tools/stretto/sbatch.h"
#include "tools/stretto/train.h"
#include "tools/stretto/version.h"
#include "tools/support/argument_rules.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

namespace stretto::tools {

constexpr std::string_view trainUsage = R"(usage: stretto train <spec.stretto> [options]
       stretto train --resume --out <run> [options]   (goes on with a run, by its own program)
       stretto train <spec.stretto> --ranks N --hosts M --print-sbatch [options]   (prints a SLURM job)
)";

constexpr std::string_view programUsage = "usage: stretto program <spec.stretto> [options]\n";

constexpr std::string_view evalUsage = R"(usage: stretto eval <run> [options]
       stretto eval <spec.stretto> --init-from <weights> --task <task> [options]

Scores weights on held-out sequences of the task, without training: --eval-batches says on how many batches.
<run> is a run directory, its folder ckpt, a checkpoint of it, or its weights; spec, options and task are those
of the run, and those given here lie over them (--batch and --length may differ). With a spec, <weights> may be any
safetensors file. What only training reads (--steps, --lr, --out, --resume, ...) is an error here.
)";

constexpr std::string_view generateUsage = R"(usage: stretto generate <run> --prompt "3 1 4" [options]
       stretto generate <spec.stretto> --init-from <weights> --task <task> --prompt "3 1 4" [options]

Goes on with prompts: numbers of tokens, several prompts with ; between, or --prompts with a file of one a line.
Prints the tokens of each answer on a line: at most --write, up to --end-token. With --text both are text, as
"stretto data <task> --vocabulary" lists it. --temperature above 0 draws tokens, with --seed. <run> and what
it says are as for eval; a --length of the compiler makes room for more.
)";

// A command: another program, `program` with `leading` before the user's arguments, or one that compiles a spec through
// the cache, with its usage.
struct Command {
  std::string_view name, program, leading, help, usage = {};
};

static constexpr std::array commands{
    Command{"train", "", "", "compile a spec and train the model on a task", trainUsage},
    Command{"program", "", "", "compile a spec as train does and print the path of the program", programUsage},
    Command{"compile", "stretto-compile", "", "compile a spec to a program, or stop at any stage"},
    Command{"explain", "stretto-compile", "explain", "say what was fused into what, what was not, and why"},
    Command{"summary", "stretto-compile", "summary", "parameters, FLOPs, bytes and memory per block"},
    Command{"check", "stretto-compile", "check", "what a run on many devices needs and takes, estimated"},
    Command{"fmt", "stretto-compile", "fmt", "lay out a spec, comments kept"},
    Command{"opt", "stretto-opt", "", "run passes on IR files"},
    Command{"data", "stretto-data", "", "look at the data of a task"},
    Command{"eval", "", "", "score a trained model, at the same or at another batch and length", evalUsage},
    Command{"generate", "", "", "let a trained model go on with prompts", generateUsage},
    Command{"sweep", "stretto-sweep", "", "train all combinations of settings, each as a run"},
    Command{"compare", "stretto-compare", "", "put runs side by side"},
    Command{"export", "stretto-export", "", "write a checkpoint as one safetensors file"},
};

static void printHelp() {
  std::puts("usage: stretto <command> [arguments]\n");
  for (const Command &command : commands)
    std::printf("  %-17s  %s\n", std::string(command.name).c_str(), std::string(command.help).c_str());
  std::puts("\n  help [command]     this text, or what a command takes\n"
            "  completion SHELL   completion for bash, zsh or fish\n"
            "  --version          the versions of Stretto and its compiler\n\n"
            "train and program share one command line: options of the compiler (--set, --task, --batch, --dtype, ...)\n"
            "and of the program (--steps, --seed, --out, ...) may stand in any order. Of a setting that is given\n"
            "again the last value counts; what names something is given once.\n\n"
            "example: stretto train models/hello.stretto --task depo1 --steps 500\n\n"
            "exit status: 0 done, 1 failed, 2 wrong command line; of a program that was started, its own");
}

static std::vector<std::string> commandNames() {
  std::vector<std::string> names{"help", "completion"};
  for (const Command &command : commands)
    names.emplace_back(command.name);
  return names;
}

static CommandError unknownCommand(const std::string &name) {
  const std::optional<std::string> nearest = runtime::nearestOf(name, commandNames());
  return CommandError(
      "unknown command '" + name + "'" + (nearest ? "; did you mean '" + *nearest + "'?" : "; see 'stretto help'"), 2);
}

static const Command &findCommand(const std::string &name) {
  auto it = std::find_if(commands.begin(), commands.end(), [&](const Command &c) { return c.name == name; });
  if (it == commands.end())
    throw unknownCommand(name);
  return *it;
}

// Gives way to the program of a command.
[[noreturn]] static void becomeCommand(const Command &command, std::vector<std::string> arguments) {
  if (!command.leading.empty())
    arguments.insert(arguments.begin(), std::string(command.leading));
  becomeProgram(siblingProgram(std::string(command.program)), arguments);
}

constexpr std::string_view completionUsage = R"(usage: stretto completion bash|zsh|fish

Prints what completes command lines of stretto in that shell: source <(stretto completion bash)
)";

// Throws CommandError where there are more than `most`, which is what `all` says.
static void expectAtMost(size_t most, std::span<const std::string> arguments, std::string_view all) {
  if (arguments.size() > most)
    throw CommandError(surplusArgument(all, arguments[most]), 2);
}

static int runHelp(std::span<const std::string> arguments) {
  expectAtMost(1, arguments, "the name of a command");
  if (arguments.empty() || arguments[0] == "help") {
    printHelp();
    return 0;
  }
  if (arguments[0] == "completion") {
    std::printf("%s", std::string(completionUsage).c_str());
    return 0;
  }
  const Command &command = findCommand(arguments[0]);
  if (!command.program.empty())
    becomeCommand(command, {"--help"});
  std::printf("%s\nCompiles the spec through the cache. Options may stand in any order.\n\n%s\n"
              "The cache is the folder $STRETTO_CACHE, else $XDG_CACHE_HOME/stretto, else ~/.cache/stretto.\n",
              std::string(command.usage).c_str(), optionsText().c_str());
  return 0;
}

// Runs a command that compiles a spec through the cache.
static int runCached(const std::string &name, std::span<const std::string> arguments) {
  if (name == "train") {
    std::vector<std::string> words(arguments.begin(), arguments.end());
    if (const int hosts = takeBatchOptions(words)) {
      std::fputs(batchScript(words, hosts).c_str(), stdout);
      return 0;
    }
  }
  TrainArguments split = name == "eval"       ? evaluationArguments(arguments)
                         : name == "generate" ? generationArguments(arguments)
                                              : splitTrainArguments(arguments);
  const bool runs = name != "program";
  checkOutputs(split);
  std::string program = keptProgram(split);
  if (program.empty()) {
    takeResumedSpec(split);
    program = cachedProgram(split, [&] {
      if (runs)
        checkRun(split);
    });
  }
  if (runs)
    becomeProgram(program, split.program);
  std::puts(program.c_str());
  return 0;
}

// Whether help is asked for; what follows "--" is for the program alone.
static bool asksForHelp(std::span<const std::string> arguments) {
  return std::any_of(arguments.begin(), std::ranges::find(arguments, "--"),
                     [](const std::string &word) { return word == "--help" || word == "-h"; });
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
    expectAtMost(0, arguments, "--version alone");
    printVersion();
    return 0;
  }
  if (name == "completion") {
    if (asksForHelp(arguments))
      return runHelp(std::span(&name, 1));
    expectAtMost(1, arguments, "the name of a shell");
    std::fputs(completionScript(arguments.empty() ? "" : arguments[0], commandNames()).c_str(), stdout);
    return 0;
  }
  const Command &command = findCommand(name);
  if (!command.program.empty())
    becomeCommand(command, {arguments.begin(), arguments.end()});
  if (asksForHelp(arguments))
    return runHelp(std::span(&name, 1));
  return runCached(name, arguments);
}

} // namespace stretto::tools
