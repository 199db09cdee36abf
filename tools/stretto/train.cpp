// `stretto train`: compiles a spec through the cache and becomes the program.
#include "tools/stretto/train.h"

#include "runtime/core/sealed.h"
#include "tools/stretto-compile/CompileOptions.h"
#include "tools/stretto/cache.h"
#include "tools/stretto/check.h"
#include "tools/stretto/error.h"
#include "tools/stretto/files.h"
#include "tools/stretto/imports.h"
#include "tools/stretto/options.h"
#include "tools/stretto/process.h"
#include "tools/stretto/words.h"
#include "tools/support/argument_rules.h"
#include "tools/support/exit_status.h"
#include "tools/support/shape_question.h"
#include "tools/support/spec_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace stretto::tools {

namespace fs = std::filesystem;

bool isSpec(const std::string &word) { return word.ends_with(".stretto") || word.ends_with(".mlir"); }

// Task and loss of a file of settings are the program's, too, as far as the words of the user leave them.
static void takeFromConfig(TrainArguments &arguments) {
  const std::optional<std::string> file = lastValue(arguments.program, "--config");
  if (!file)
    return;
  std::vector<std::string> words = compilerWordsOf(*file);
  const std::string task = lastValue(arguments.compiler, "--task").value_or("");
  const bool isOther = !task.empty() && lastValue(words, "--task").value_or(task) != task;
  if (isOther)
    dropOption(words, "--preset");
  const bool isOfItsOwn = hasOption(words, "--task") || hasOption(words, "--preset");
  if (isOther || (isOfItsOwn && hasOption(arguments.compiler, "--preset")))
    dropOption(words, "--task-set");
  arguments.compiler.insert(arguments.compiler.begin(), words.begin(), words.end());
}

static TrainArguments splitArguments(std::span<const std::string> arguments) {
  TrainArguments result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--") {
      result.program.insert(result.program.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    const bool attached = argument.find('=') != argument.npos;
    const TrainOption *compiler = findOption(compilerOptions(), argument);
    if (const TrainOption *option = compiler ? compiler : findOption(programOptions(), argument)) {
      const size_t count = option->takesValue && !attached ? 2 : 1;
      if (i + count > arguments.size())
        throw CommandError(argument + " needs a value", 2);
      auto words = arguments.subspan(i, count);
      if (compiler)
        result.compiler.insert(result.compiler.end(), words.begin(), words.end());
      if (!compiler || option->ofProgram)
        result.program.insert(result.program.end(), words.begin(), words.end());
      i += count - 1;
    } else if (argument.starts_with("--")) {
      refuseOption(argument);
    } else if (result.spec.empty() && isSpec(argument) && !argument.starts_with("-")) {
      result.spec = argument;
    } else if (argument.starts_with("-") && argument != "-") {
      result.program.push_back(argument);
    } else if (!result.surplus) {
      result.surplus = argument;
    }
  }
  takeFromConfig(result);
  return result;
}

std::string specOf(std::span<const std::string> arguments) { return splitArguments(arguments).spec; }

// Throws CommandError where there is more than what `all` says.
static void refuseSurplus(const TrainArguments &arguments, std::string_view all) {
  if (arguments.surplus)
    throw CommandError(surplusArgument(all, *arguments.surplus), 2);
}

static bool isRun(const fs::path &path) {
  std::error_code none;
  return fs::exists(path / "spec.stretto", none) && fs::exists(path / "run.toml", none);
}

// Why nothing can be read at a path, or in the folder there; empty where that can be.
static std::string accessFailure(const fs::path &path) {
  std::error_code failure;
  if (fs::exists(path, failure))
    (void)fs::exists(path / "run.toml", failure); // for the failure
  else if (!failure)
    failure = std::make_error_code(std::errc::no_such_file_or_directory);
  return failure ? failure.message() : "";
}

// The run directory that a path lies in, or is: at most three folders up (run/ckpt/step/weights). Empty where none is.
static fs::path runOf(fs::path path) {
  std::error_code none;
  path = fs::absolute(path, none).lexically_normal();
  for (int up = 0; up <= 3 && !path.empty(); ++up, path = path.parent_path())
    if (isRun(path))
      return path;
  return {};
}

// The run directory that `--out` names for a resume: itself, or its checkpoints. Empty where it is none.
static fs::path resumedRun(const fs::path &out) {
  std::error_code none;
  fs::path path = fs::absolute(out / "", none).lexically_normal().parent_path();
  for (const char *part : {"latest", "ckpt"})
    if (path.filename() == part)
      path = path.parent_path();
  return isRun(path) ? path : fs::path();
}

// The stage that the program of a run was compiled from, where it was not its spec.
static constexpr const char *stage = "build/stage.mlir";

static bool isOfStage(const fs::path &run) {
  std::error_code none;
  return fs::exists(run / stage, none);
}

// What the spec of a run, or its stage, was compiled with: a word a line, the stage before its options.
static std::vector<std::string> optionsOf(const fs::path &run) {
  const fs::path path = run / "build" / "options.txt";
  if (std::error_code none; fs::exists(path, none) && !fs::is_regular_file(path, none)) // a pipe would be waited for
    throw CommandError("cannot read '" + path.string() + "': it must be a regular file");
  const std::optional<std::string> content = contentOf(path);
  if (!content)
    throw CommandError("'" + run.string() +
                           "' does not say how its spec was compiled (no build/options.txt): name the spec "
                           "and its options, too",
                       2);
  const std::optional<std::string_view> text = runtime::unsealed(*content);
  if (!text)
    throw CommandError("'" + path.string() +
                       "' must be as the run wrote it, but was cut or changed: name the spec and its "
                       "options, too");
  std::vector<std::string> words = linesOf(std::string(*text));
  if (words.empty() || words.front() != stage)
    return words;
  if (!isOfStage(run))
    throw CommandError("'" + (run / stage).string() +
                           "' must be the stage that the run was compiled from, but is missing: name that stage or a "
                           "spec, and its options, too",
                       2);
  words.erase(words.begin());
  return words;
}

// Of the task of a run, the options of its program have what that depends on: batch, length and vocabulary. Another
// length makes another program.
static void dropTaskOfRun(std::vector<std::string> &compiler) {
  constexpr std::string_view length = "length=";
  for (const std::string &setting : allValues(compiler, "--task-set"))
    if (setting.starts_with(length))
      compiler.insert(compiler.begin(), {"--length", setting.substr(length.size())});
  for (const char *name : {"--task-set", "--preset"})
    dropOption(compiler, name);
}

// Whether the words name no other task than that of the run.
static bool isTaskOf(const fs::path &run, const TrainArguments &arguments) {
  const std::optional<std::string> task = lastValue(arguments.compiler, "--task");
  return !task || task == lastValue(compilerWordsOf(run / "run.toml"), "--task");
}

// Takes the spec of a run directory, or another source there, and the options that it was compiled with under those
// that the user gave.
static void takeSource(const fs::path &run, const char *source, TrainArguments &arguments,
                       const std::vector<std::string> &options) {
  arguments.spec = (run / source).string();
  if (isTaskOf(run, arguments)) {
    dropOption(arguments.compiler, "--task");
    dropTaskOfRun(arguments.compiler);
  }
  arguments.compiler.insert(arguments.compiler.begin(), options.begin(), options.end());
}

// Takes the stage that the program of a run was compiled from, or else its spec. What only a spec can be asked for, the
// stage has.
static void takeSourceOf(const fs::path &run, TrainArguments &arguments, std::vector<std::string> options) {
  if (!isOfStage(run))
    return takeSource(run, "spec.stretto", arguments, options);
  for (const char *ofSpec :
       {"--model", "--set", "--dtype", "--nll-square", "--z-loss", "--lr-factors", "--weight-decay-factors"})
    dropOption(options, ofSpec);
  std::erase(options, "--mask-documents");
  takeSource(run, stage, arguments, options);
}

TrainArguments splitTrainArguments(std::span<const std::string> arguments) {
  constexpr std::string_view all = "a spec and options";
  TrainArguments result = splitArguments(arguments);
  if (!result.spec.empty()) {
    refuseSurplus(result, all);
    return result;
  }
  const std::string out = lastValue(result.program, "--out").value_or("");
  const bool resumes = std::ranges::any_of(
      result.program, [](const std::string &word) { return word == "--resume" || word == "--resume=true"; });
  if (resumes && !out.empty())
    result.resumed = resumedRun(out).string();
  if (std::error_code none; resumes && result.resumed.empty() && fs::exists(out, none))
    if (const std::string failure = accessFailure(out); !failure.empty())
      throw CommandError("cannot open '" + out + "': " + failure, 2);
  const bool isNamed = !arguments.empty() && !arguments[0].starts_with("-");
  if (result.resumed.empty())
    throw CommandError("the spec is missing: name a file that ends in .stretto (or .mlir: a stage to continue)" +
                           (resumes && !out.empty()
                                ? ", as '" + out + "' is no run directory (one has spec.stretto and run.toml)"
                            : isNamed ? ", but got '" + arguments[0] + "'"
                                      : std::string()),
                       2);
  refuseSurplus(result, all);
  return result;
}

std::string keptProgram(const TrainArguments &arguments) {
  if (arguments.resumed.empty() || !arguments.compiler.empty())
    return "";
  const fs::path program = fs::path(arguments.resumed) / "build" / "program";
  const std::string failure = startFailure(program);
  if (failure.empty())
    return program.string();
  std::fprintf(stderr, "stretto: '%s' does not start, so the spec or stage of the run is compiled anew: %s\n",
               program.c_str(), failure.c_str());
  return "";
}

void takeResumedSpec(TrainArguments &arguments) {
  if (!arguments.resumed.empty())
    takeSourceOf(arguments.resumed, arguments, optionsOf(arguments.resumed));
}

// Takes spec, options of the compiler and settings from the run directory the weights lie in; what the user gave lies
// over them. Weights serve any target and any type of activations, and the machine that asks may have no such device; a
// stage is for its own.
static void takeFromRun(TrainArguments &arguments, const std::string &weights) {
  const fs::path run = runOf(weights);
  if (const std::string failure = accessFailure(weights); run.empty() && !failure.empty())
    throw CommandError("cannot open '" + weights + "': " + failure, 2);
  if (run.empty())
    throw CommandError("the spec is missing, as '" + weights +
                           "' lies in no run directory (one has spec.stretto and run.toml): name the spec, too",
                       2);
  std::vector<std::string> options = optionsOf(run);
  if (!isOfStage(run)) {
    dropOption(options, "--target");
    std::erase(options, "--emulate");
    if (lastValue(options, "--dtype") == "bf16")
      dropOption(options, "--dtype");
  }
  if (hasOption(arguments.compiler, "--target"))
    std::erase(options, "--emulate");
  takeSourceOf(run, arguments, std::move(options));
  arguments.program.insert(arguments.program.begin(), {"--of-run", run.string()});
}

// What is to write is faster with the entries for it.
static void addDecode(TrainArguments &arguments) {
  if (!hasOption(arguments.compiler, "--decode"))
    arguments.compiler.insert(arguments.compiler.end(), {"--decode", std::string(whereItCan)});
}

// Throws CommandError where there is an option of programs that another command reads.
static void refuseOptionsOf(runtime::ProgramOption::Reader reader, const TrainArguments &arguments, const char *why) {
  for (const runtime::ProgramOption &option : runtime::programOptions)
    if (const std::string name(option.name); option.reader == reader && hasOption(arguments.program, name))
      throw CommandError(name + " is for " + why, 2);
}

// Nothing is trained, nothing is left behind. Scores do not depend on how the run shares out its steps, and any number
// of ranks may share an evaluation.
static void takeNoSteps(TrainArguments &arguments) {
  refuseOptionsOf(runtime::ProgramOption::training, arguments,
                  "training: eval and generate take no steps and leave no files");
  arguments.program.insert(arguments.program.end(), {"--steps", "0", "--out", "none", "--virtual-ranks", "0"});
}

// What eval and generate have in common.
static TrainArguments argumentsWithWeights(std::span<const std::string> given) {
  std::vector<std::string> words(given.begin(), given.end());
  if (!words.empty() && !words[0].starts_with("-") && !isSpec(words[0]))
    words.insert(words.begin(), "--init-from");
  TrainArguments arguments = splitArguments(words);
  const std::optional<std::string> weights = firstValue(arguments.program, "--init-from");
  if (!weights)
    throw CommandError(
        "the weights are missing: give a run directory, or --init-from with a checkpoint or a safetensors file", 2);
  if (weights->empty())
    throw CommandError("weights must be a run directory, a checkpoint or a safetensors file, but got ''", 2);
  refuseSurplus(arguments, "a run or a spec, and options");
  if (arguments.spec.empty())
    takeFromRun(arguments, *weights);
  takeNoSteps(arguments);
  return arguments;
}

TrainArguments generationArguments(std::span<const std::string> given) {
  TrainArguments arguments = argumentsWithWeights(given);
  refuseOptionsOf(runtime::ProgramOption::scoring, arguments, "evaluations: generate makes none");
  if (firstValue(arguments.program, "--prompt").value_or("").empty() &&
      firstValue(arguments.program, "--prompts").value_or("").empty())
    throw CommandError("generate needs prompts: give --prompt \"3 1 4\", or --prompts with a file", 2);
  addDecode(arguments);
  return arguments;
}

TrainArguments evaluationArguments(std::span<const std::string> given) {
  TrainArguments arguments = argumentsWithWeights(given);
  refuseOptionsOf(runtime::ProgramOption::writing, arguments, "generate: eval goes on with no prompts");
  if (hasOption(given, "--eval-generate"))
    addDecode(arguments);
  return arguments;
}

// Which instruction sets this machine has, as its system lists them; the same text on machines of one kind.
static std::string machineFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features"))
      return line;
  return "";
}

// Adds the spec and all it imports. `bin` is the folder of the programs; what they bring along is imported from share.
static void addSpec(CacheKey &key, const TrainArguments &arguments, const fs::path &bin) {
  std::vector<std::string> folders = allValues(arguments.compiler, "-I");
  folders.push_back((bin.parent_path() / modelsPath).string());
  for (const SpecFile &file : readSpec(arguments.spec, folders)) {
    key.add(file.path.filename().string());
    key.add(file.text);
  }
}

std::string specDigest(const TrainArguments &arguments) {
  CacheKey key;
  addSpec(key, arguments, fs::read_symlink("/proc/self/exe").parent_path());
  return key.digest();
}

// What the task of the options gives a program, as stretto-data says it: batch, length, vocabulary. It depends on the
// files that the task is made from. Empty where there is no task, or where that cannot be made: the compiler says why.
static std::string shapeOf(std::span<const std::string> compiler) {
  const std::string task = lastValue(compiler, "--task").value_or("");
  if (task.empty())
    return "";
  const std::vector<std::string> words =
      shapeQuestion(task, lastValue(compiler, "--preset").value_or(""), allValues(compiler, "--task-set"),
                    lastValue(compiler, "--length").value_or(""));
  try {
    return outputOf(siblingProgram("stretto-data"), words, Errors::Dropped);
  } catch (const CommandError &) {
    return "";
  }
}

// Everything the program depends on: the machine (a folder may be shared by several), the spec with its imports, the
// options with the shape that follows from them, and the parts of Stretto that make it or are linked into it, with the
// folder where it will look for them.
static std::string programKey(const TrainArguments &arguments, const fs::path &compiler) {
  CacheKey key;
  key.add("stretto program 5");
  key.add(machineFlags());
  key.addFile(compiler);
  fs::path libraries = compiler.parent_path().parent_path() / "lib";
  std::vector<fs::path> linked;
  std::error_code none;
  key.add(fs::absolute(libraries, none).string());
  for (const fs::directory_entry &entry : fs::directory_iterator(libraries, none))
    if (entry.path().extension() == ".a" || entry.path().extension() == ".so")
      linked.push_back(entry.path());
  std::sort(linked.begin(), linked.end());
  for (const fs::path &library : linked)
    key.addFile(library);
  addSpec(key, arguments, compiler.parent_path());
  for (const std::string &argument : arguments.compiler)
    key.add(argument);
  key.add(shapeOf(arguments.compiler));
  return key.digest();
}

// Where the cache keeps what the compiler said of a program, and how its spec was called then.
static fs::path remarksOf(const fs::path &program) { return program.parent_path() / "remarks.txt"; }
static fs::path specNoteOf(const fs::path &program) { return program.parent_path() / "spec.txt"; }

// Places in the spec are told with the path that it has now.
static void printRemarks(const fs::path &program, const std::string &spec) {
  const std::string then = contentOf(specNoteOf(program)).value_or("") + ":";
  for (const std::string &line : linesOf(contentOf(remarksOf(program)).value_or("")))
    if (line.starts_with(then))
      std::fprintf(stderr, "%s:%s\n", spec.c_str(), line.c_str() + then.size());
    else
      std::fprintf(stderr, "%s\n", line.c_str());
}

// Compiles a program; returns what the compiler remarked. Throws WriteError where the program cannot be written.
static std::string compile(const TrainArguments &arguments, const fs::path &compiler, const fs::path &program) {
  std::vector<std::string> command{arguments.spec};
  command.insert(command.end(), arguments.compiler.begin(), arguments.compiler.end());
  command.insert(command.end(), {"-o", program.string()});
  std::string said;
  const int status = runProgram(compiler, command, said);
  if (status == 0)
    return said;
  std::vector<std::string> lines = linesOf(said);
  std::string unwritten;
  if (status == unwrittenStatus && !lines.empty()) {
    unwritten = lines.back().substr(lines.back().starts_with(errorMark) ? errorMark.size() : 0);
    lines.pop_back();
  }
  for (const std::string &line : lines)
    std::fprintf(stderr, "%s\n", line.c_str());
  if (unwritten.empty())
    throw CommandError("", status); // the compiler has said why
  throw WriteError(unwritten);
}

std::string cachedProgram(const TrainArguments &arguments, const std::function<void()> &before) {
  fs::path compiler = siblingProgram("stretto-compile");
  ProgramCache cache(cacheFolder());
  const fs::path program = cache.obtain(programKey(arguments, compiler), [&](const fs::path &output) {
    before();
    writeFile(remarksOf(output), compile(arguments, compiler, output));
    writeFile(specNoteOf(output), arguments.spec);
  });
  printRemarks(program, arguments.spec);
  return program;
}

} // namespace stretto::tools
