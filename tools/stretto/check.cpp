// What is wrong with a run, before a program is compiled for it.
#include "tools/stretto/check.h"

#include "runtime/core/program_options.h"
#include "tools/stretto/error.h"
#include "tools/stretto/process.h"
#include "tools/stretto/words.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace stretto::tools {

// Nothing where it was not built.
static std::optional<std::filesystem::path> programIfBuilt(const std::string &name) {
  try {
    return siblingProgram(name);
  } catch (const CommandError &) {
    return std::nullopt;
  }
}

static std::optional<std::filesystem::path> checker() { return programIfBuilt("stretto-check"); }

// What the options of the compiler say of the model, as stretto-check reads it.
static std::vector<std::string> modelWords(std::span<const std::string> compiler) {
  std::vector<std::string> words;
  for (const char *name : {"--length", "--vocab"})
    if (const std::string value = lastValue(compiler, name).value_or(""); !value.empty())
      words.insert(words.end(), {name, value});
  const bool emulated = std::ranges::find(compiler, "--emulate") != compiler.end();
  if (const std::string target = lastValue(compiler, "--target").value_or(""); !target.empty())
    words.insert(words.end(), {"--target", target + (emulated ? "-emulated" : "")});
  return words;
}

void checkOutputs(const TrainArguments &arguments) {
  for (std::string_view option : runtime::outputOptions) {
    const std::string path = lastValue(arguments.program, std::string(option)).value_or("");
    if (std::error_code none; std::filesystem::equivalent(path, arguments.spec, none))
      throw CommandError(std::string(option) + " must not name a file that is read, but got '" + path + "'", 2);
  }
}

void checkRun(const TrainArguments &arguments) {
  const auto asksOnly = [](const std::string &word) { return word == "--help" || word == "-h" || word == "--version"; };
  const auto program = checker();
  if (!program || std::ranges::any_of(arguments.program, asksOnly))
    return;
  std::vector<std::string> words = modelWords(arguments.compiler);
  words.push_back("--");
  words.insert(words.end(), arguments.program.begin(), arguments.program.end());
  if (int status = runProgram(*program, words))
    throw CommandError("", status); // it has said why
}

void checkSpec(const TrainArguments &arguments) {
  const auto compiler = programIfBuilt("stretto-compile");
  if (!compiler || !arguments.spec.ends_with(".stretto"))
    return;
  std::vector<std::string> words{arguments.spec};
  words.insert(words.end(), arguments.compiler.begin(), arguments.compiler.end());
  words.insert(words.end(), {"--emit", "seq", "-o", "/dev/null"});
  std::string said; // warnings are said again as the program is compiled
  if (const int status = runProgram(*compiler, words, said)) {
    std::fputs(said.c_str(), stderr);
    throw CommandError("", status);
  }
}

std::vector<std::string> compilerWordsOf(const std::string &configFile) {
  const auto program = checker();
  if (!program)
    return {};
  try {
    return linesOf(outputOf(*program, {"--task-of", configFile}, Errors::Dropped));
  } catch (const CommandError &) {
    return {};
  }
}

std::string askForProgramOptions() {
  const auto program = checker();
  return program ? outputOf(*program, {"--options"}, Errors::Shown) : "";
}

} // namespace stretto::tools
