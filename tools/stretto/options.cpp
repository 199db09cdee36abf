// The options that `stretto train` takes, told apart.
#include "tools/stretto/options.h"

#include "codegen/target/BackendOptions.h"
#include "runtime/core/nearest.h"
#include "runtime/core/option_habits.h"
#include "tools/stretto-compile/CompileOptions.h"
#include "tools/stretto/check.h"
#include "tools/stretto/error.h"

#include <algorithm>
#include <array>
#include <vector>

namespace stretto::tools {

// The program explains them; a test compares the names with its own.
static constexpr std::array programTable{
    TrainOption{"--tokens"},
    TrainOption{"--steps"},
    TrainOption{"--lr"},
    TrainOption{"--schedule"},
    TrainOption{"--warmup"},
    TrainOption{"--final-fraction"},
    TrainOption{"--weight-decay"},
    TrainOption{"--beta1"},
    TrainOption{"--beta2"},
    TrainOption{"--epsilon"},
    TrainOption{"--clip"},
    TrainOption{"--accumulate"},
    TrainOption{"--seed"},
    TrainOption{"--init-from"},
    TrainOption{"--eval-every"},
    TrainOption{"--eval-batches"},
    TrainOption{"--eval-generate"},
    TrainOption{"--temperature"},
    TrainOption{"--prompt"},
    TrainOption{"--prompts"},
    TrainOption{"--write"},
    TrainOption{"--end-token"},
    TrainOption{"--scores"},
    TrainOption{"--save-every"},
    TrainOption{"--keep"},
    TrainOption{"--on-nonfinite"},
    TrainOption{"--out"},
    TrainOption{"--resume", false},
    TrainOption{"--strict", false},
    TrainOption{"--of-run"},
    TrainOption{"--threads"},
    TrainOption{"--ranks"},
    TrainOption{"--virtual-ranks"},
    TrainOption{"--max-restarts"},
    TrainOption{"--join-timeout"},
    TrainOption{"--rank-timeout"},
    TrainOption{"--device"},
    TrainOption{"--graph"},
    TrainOption{"--deterministic"},
    TrainOption{"--tf32"},
    TrainOption{"--check-finite", false},
    TrainOption{"--profile", false},
    TrainOption{"--bench", false},
    TrainOption{"--quiet", false},
    TrainOption{"--progress"},
    TrainOption{"--log-every"},
    TrainOption{"--dump-gradients"},
    TrainOption{"--dump-batch"},
    TrainOption{"--memory-limit"},
    TrainOption{"--config"},
    TrainOption{"--help", false},
    TrainOption{"-h", false},
    TrainOption{"--version", false},
};

static std::vector<TrainOption> makeCompilerTable() {
  std::vector<TrainOption> table;
  for (const CompileOption &option : compileOptions)
    if (option.isOfTrain())
      table.push_back({option.name, !option.value.empty(), option.reader == CompileOption::both});
  for (const codegen::BackendOption &option : codegen::backendOptions)
    table.push_back({option.name, !option.value.empty()});
  return table;
}

std::span<const TrainOption> compilerOptions() {
  static const std::vector<TrainOption> table = makeCompilerTable();
  return table;
}

std::span<const TrainOption> programOptions() { return programTable; }

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
