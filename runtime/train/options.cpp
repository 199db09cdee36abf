// The command line of a training program.
#include "runtime/train/options.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/core/option_habits.h"
#include "runtime/core/parse_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

const Origin fromCommandLine{Origin::Kind::CommandLine, "command line"};

void addSetting(CLI::App &app, const Setting &setting, ConfigLayer &layer) {
  const std::string flag = "--" + setting.name;
  if (setting.option->value.empty()) {
    app.add_flag_callback(
        flag, [&layer, name = setting.name] { layer.options[name] = {"true", fromCommandLine}; }, setting.help);
    return;
  }
  app.add_option_function<std::string>(
         flag,
         [&layer, name = setting.name](const std::string &text) { layer.options[name] = {text, fromCommandLine}; },
         setting.help)
      ->type_name(std::string(setting.option->value))
      ->take_last()
      ->default_str(setting.get(RunConfig{}));
}

void addTaskSetting(ConfigLayer &layer, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("--task-set must have the form name=value, but got '{}'", text));
  layer.taskSettings[text.substr(0, equals)] = {text.substr(equals + 1), fromCommandLine};
}

// Options of the compiler that people look for in the program.
constexpr std::array<std::string_view, 6> compiledIn = {"--batch", "--length", "--vocab",
                                                        "--dtype", "--target", "--set"};

[[noreturn]] void refuseExtra(const std::string &argument) {
  const std::string name = argument.substr(0, argument.find('='));
  if (!name.starts_with("--"))
    throw Error(fmt::format("arguments must be options, but got '{}'{}", argument,
                            name == argument ? "" : "; --set and --task-set take one setting each"));
  std::vector<std::string> names;
  for (const ProgramOption &option : programOptions)
    if (option.name.starts_with("--"))
      names.emplace_back(option.name);
  const auto isName = [&](const std::string &word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  const auto known = optionByHabit(name);
  if (known && !isName(*known) && std::find(compiledIn.begin(), compiledIn.end(), *known) != compiledIn.end())
    throw Error(
        fmt::format("unknown option '{}'; the program was compiled with its {}: another makes another program, by "
                    "stretto train SPEC {} ...",
                    name, known->substr(2), *known));
  const auto nearest = known && isName(*known) ? known : nearestOf(name, names);
  throw Error(fmt::format("unknown option '{}'; {}{}", name,
                          nearest ? "did you mean '" + *nearest + "'?" : std::string("--help lists them"),
                          habitRemark(name)));
}

void addOfLine(CLI::App &app, std::string_view name, auto &value) {
  const ProgramOption &option = *findProgramOption(name);
  CLI::Option *added =
      app.add_option(std::string(name), value, std::string(option.help))->type_name(std::string(option.value));
  if (option.isGivenOnce())
    added->take_last(); // checkValues tells it
}

void addOptions(CLI::App &app, CommandLine &line, std::vector<std::string> &taskSettings, const std::string &version) {
  app.set_help_flag("-h,--help", std::string(findProgramOption("--help")->help));
  app.set_version_flag("--version", version, std::string(findProgramOption("--version")->help));
  for (const Setting &setting : settings())
    addSetting(app, setting, line.layer);
  addOfLine(app, "--task-set", taskSettings);
  addOfLine(app, "--config", line.configFile);
  addOfLine(app, "--of-run", line.ofRun);
}

// An empty name or prompt is mostly a variable of a shell that is not set, and nobody means the usual one by it.
void refuseEmpty(const ProgramOption &option) {
  if (!option.named().empty())
    throw Error(fmt::format("{} must name {}, but got ''", option.name, option.named()));
  if (option.name == "--prompt")
    throw Error("--prompt must be a text to go on with, but got ''");
}

// What is given twice, or empty.
void checkValues(const CLI::App &app) {
  for (const CLI::Option *given : app.get_options()) {
    const ProgramOption *option = given->empty() ? nullptr : findProgramOption("--" + given->get_lnames().front());
    if (!option)
      continue;
    const std::vector<std::string> &values = given->results();
    if (option->isGivenOnce() && values.size() > 1)
      throw Error(fmt::format("{} must be given once, but got '{}' as well{}", option->name, values[1],
                              option->name == "--prompt" ? "; several prompts stand in one with ; between" : ""));
    if (values.back().empty())
      refuseEmpty(*option);
  }
}

} // namespace

std::string programOptionsHelp() {
  CommandLine line;
  std::vector<std::string> taskSettings;
  CLI::App app;
  addOptions(app, line, taskSettings, "");
  const std::string text = CLI::Formatter().make_groups(&app, CLI::AppFormatMode::Normal);
  return text.substr(text.find("  -")); // behind the title
}

std::optional<CommandLine> parseCommandLine(int argc, const char *const *argv, const std::string &about,
                                            const std::string &version) {
  CommandLine result;
  std::vector<std::string> taskSettings;
  CLI::App app(about);
  app.allow_extras();
  addOptions(app, result, taskSettings, version);
  try {
    parseWords(app, argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::CallForVersion &) {
    std::puts(version.c_str());
    return std::nullopt;
  } catch (const CLI::ArgumentMismatch &error) {
    const std::string text = error.what(); // "--name: ..."
    throw Error(text.substr(0, text.find(':')) + " needs a value");
  } catch (const CLI::ParseError &error) {
    throw Error(error.what());
  }
  if (!app.remaining().empty())
    refuseExtra(app.remaining().front());
  checkValues(app);
  for (const std::string &text : taskSettings)
    addTaskSetting(result.layer, text);
  return result;
}

} // namespace stretto::runtime
