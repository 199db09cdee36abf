// The options that `stretto train` takes, told apart.
#include "tools/stretto/options.h"

#include "codegen/target/BackendOptions.h"
#include "runtime/core/nearest.h"
#include "runtime/core/option_habits.h"
#include "tools/stretto-compile/CompileOptions.h"
#include "tools/stretto/check.h"
#include "tools/stretto/error.h"

#include <algorithm>
#include <vector>

namespace stretto::tools {

static std::vector<TrainOption> makeCompilerTable() {
  std::vector<TrainOption> table;
  for (const CompileOption &option : compileOptions)
    if (option.isOfTrain())
      table.push_back({option.name, !option.value.empty(), runtime::findProgramOption(option.name)});
  for (const codegen::BackendOption &option : codegen::backendOptions)
    table.push_back({option.name, !option.value.empty()});
  return table;
}

std::span<const TrainOption> compilerOptions() {
  static const std::vector<TrainOption> table = makeCompilerTable();
  return table;
}

static std::vector<TrainOption> makeProgramTable() {
  std::vector<TrainOption> table;
  for (const runtime::ProgramOption &option : runtime::programOptions)
    if (!findOption(compilerOptions(), option.name))
      table.push_back({option.name, !option.value.empty(), &option});
  return table;
}

std::span<const TrainOption> programOptions() {
  static const std::vector<TrainOption> table = makeProgramTable();
  return table;
}

const TrainOption *findOption(std::span<const TrainOption> options, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  auto it =
      std::find_if(options.begin(), options.end(), [&](const TrainOption &option) { return option.name == name; });
  return it == options.end() ? nullptr : &*it;
}

void refuseOption(const std::string &word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (std::span<const TrainOption> table : {compilerOptions(), programOptions()})
    for (const TrainOption &option : table)
      names.emplace_back(option.name);
  const std::optional<std::string> known = runtime::optionByHabit(name);
  const bool isHabit = known && std::ranges::find(names, *known) != names.end();
  const auto nearest = isHabit ? known : runtime::nearestOf(name, names);
  throw CommandError("unknown option '" + name + "'" +
                         (nearest ? "; did you mean '" + *nearest + "'?" : "; 'stretto help train' lists them") +
                         std::string(runtime::habitRemark(name)),
                     2);
}

static std::string helpLine(std::string_view name, std::string_view value, std::string_view help) {
  constexpr size_t column = 29;
  std::string line = "  " + std::string(name) + (value.empty() ? "" : " ") + std::string(value);
  line += line.size() < column ? std::string(column - line.size(), ' ') : "\n" + std::string(column, ' ');
  return line + std::string(help) + "\n";
}

std::string optionsText() {
  std::string text = "Options that shape the program:\n";
  for (const CompileOption &option : compileOptions)
    if (option.isOfTrain())
      text += helpLine(option.name, option.value, option.help);
  for (const codegen::BackendOption &option : codegen::backendOptions)
    text += helpLine(option.name, option.value, option.help);
  const std::string ofProgram = askForProgramOptions();
  return text + "\nOptions of the program" +
         (ofProgram.empty() ? ": as the runtime was not built, there are no programs\n" : ":\n" + ofProgram);
}

} // namespace stretto::tools
