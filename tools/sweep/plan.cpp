// What a sweep is going to do.
#include "tools/sweep/plan.h"

#include "runtime/core/command_line.h"
#include "tasks/recipes.h"
#include "tools/stretto/error.h"
#include "tools/stretto/options.h"
#include "tools/stretto/train.h"
#include "tools/sweep/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stretto::tools {

using Words = std::vector<std::string>;

// The options among words by name, "--set x" for parameters, with their last value; what may be written in several ways
// has one form here.
static std::map<std::string, std::string> optionValues(const Words &words) {
  std::map<std::string, std::string> values;
  for (size_t i = 0; i < words.size(); ++i) {
    const TrainOption *compiler = findOption(compilerOptions(), words[i]);
    const TrainOption *option = compiler ? compiler : findOption(programOptions(), words[i]);
    if (!option)
      continue;
    std::string name(option->name), value;
    if (const size_t equals = words[i].find('='); equals != std::string::npos)
      value = words[i].substr(equals + 1);
    else if (option->takesValue && i + 1 < words.size())
      value = words[++i];
    if (name == "--set" || name == "--task-set") {
      const size_t equals = std::min(value.find('='), value.size());
      name += " " + value.substr(0, equals);
      value.erase(0, equals + 1);
    }
    std::string &entry = values[name];
    entry = name == "-I" ? entry + " " + value : value;
  }
  return values;
}

// The name that optionValues has for what an axis varies; "" for the spec, which is no option.
static std::string axisKey(const runtime::Axis &axis) {
  if (axis.isSpec())
    return "";
  const Words words = optionWords(axis, "");
  return words[1].empty() ? words[0] : words[0] + " " + words[1].substr(0, words[1].find('='));
}

// The specs of all runs with what they say now: those of their axis, or the one of the line.
static std::vector<runtime::SweepSpec> specsOf(const SweepLine &line) {
  const auto axis = std::ranges::find_if(line.axes, &runtime::Axis::isSpec);
  if (axis == line.axes.end()) {
    const TrainArguments arguments = splitTrainArguments(line.train);
    return {{arguments.spec, specDigest(arguments)}};
  }
  if (const std::string given = specOf(line.train); !given.empty())
    throw CommandError("the spec must be an axis or an argument, but is both: '" + given + "'", 2);
  std::vector<runtime::SweepSpec> specs;
  for (const std::string &path : axis->values) {
    Words words = line.train;
    words.push_back(path);
    specs.push_back({path, specDigest(splitTrainArguments(words))});
  }
  return specs;
}

// Replaces the value "recipe" of the axis lr by the grid of the preset. Returns the weight decay of each rate, where
// the recipe has one for each.
static std::map<std::string, std::string> takeGrid(runtime::Axis &axis, const std::vector<runtime::Axis> &axes,
                                                   const std::map<std::string, std::string> &options) {
  if (axis.name != "lr" || axis.values != Words{"recipe"})
    return {};
  for (const runtime::Axis &other : axes)
    if (other.name == "task" || other.name == "preset")
      throw CommandError("lr=recipe needs one task and preset for all runs, but '" + other.name + "' varies", 2);
  const auto task = options.find("--task"), preset = options.find("--preset");
  if (task == options.end())
    throw CommandError("lr=recipe needs the task: give --task NAME", 2);
  const tasks::Preset found = tasks::findPreset(task->second, preset == options.end() ? "" : preset->second);
  if (found.learningRates.empty())
    throw CommandError(
        fmt::format("preset '{}' of task '{}' must have a list of learning rates for lr=recipe, but has none",
                    found.name, task->second),
        2);
  axis.values.clear();
  std::map<std::string, std::string> decays;
  for (size_t i = 0; i < found.learningRates.size(); ++i) {
    axis.values.push_back(fmt::format("{}", found.learningRates[i]));
    if (!found.weightDecays.empty())
      decays[axis.values.back()] = fmt::format("{}", found.weightDecays[i]);
  }
  return decays;
}

// Whether the user says what the weight decay is.
static bool namesWeightDecay(const SweepLine &line, const std::map<std::string, std::string> &options) {
  return options.contains("--weight-decay") ||
         std::ranges::find(line.axes, "weight-decay", &runtime::Axis::name) != line.axes.end();
}

static size_t programOf(SweepPlan &plan, const TrainArguments &arguments) {
  Words words{arguments.spec};
  words.insert(words.end(), arguments.compiler.begin(), arguments.compiler.end());
  for (size_t i = 0; i < plan.programs.size(); ++i)
    if (plan.programs[i].words == words)
      return i;
  plan.programs.push_back({words});
  return plan.programs.size() - 1;
}

SweepPlan planSweep(SweepLine line) {
  const std::vector<runtime::SweepSpec> specs = specsOf(line);
  const std::map<std::string, std::string> options = optionValues(line.train);
  std::map<std::string, std::string> decays; // by learning rate
  for (runtime::Axis &axis : line.axes) {
    if (options.contains(axisKey(axis)))
      throw CommandError("'" + axis.name + "' must be an axis or an option, but is both", 2);
    decays.merge(takeGrid(axis, line.axes, options));
  }
  if (namesWeightDecay(line, options))
    decays.clear();
  SweepPlan plan{{specs, line.train, line.axes, {}}, {}, {}};
  const std::vector<Words> all = combinations(line.axes);
  const Words folders = folderNames(line.axes, all);
  for (size_t i = 0; i < all.size(); ++i) {
    PlannedRun run{line.train, 0};
    Words more;
    for (size_t a = 0; a < line.axes.size(); ++a) {
      const Words words = optionWords(line.axes[a], all[i][a]);
      run.words.insert(line.axes[a].isSpec() ? run.words.begin() : run.words.end(), words.begin(), words.end());
      if (const auto decay = decays.find(all[i][a]); line.axes[a].name == "lr" && decay != decays.end())
        more = {"--weight-decay", decay->second};
    }
    run.words.insert(run.words.end(), more.begin(), more.end());
    run.program = programOf(plan, splitTrainArguments(run.words));
    Words command{"stretto", "train"};
    command.insert(command.end(), run.words.begin(), run.words.end());
    command.insert(command.end(), {"--out", (line.out / folders[i]).string()});
    plan.file.runs.push_back({folders[i], all[i], runtime::commandLine(command), more});
    plan.runs.push_back(std::move(run));
  }
  return plan;
}

static std::string listed(const Words &values) {
  std::string text;
  for (const std::string &value : values)
    text += (text.empty() ? "" : ",") + value;
  return text;
}

// What a sweep is made from, by what it is called in messages, without what no result depends on.
static std::map<std::string, std::string> partsOf(const runtime::SweepFile &sweep) {
  std::map<std::string, std::string> parts = optionValues(sweep.options);
  for (const runtime::ProgramOption &option : runtime::programOptions)
    if (option.kind == runtime::ProgramOption::conduct)
      parts.erase(std::string(option.name));
  for (const runtime::Axis &axis : sweep.axes)
    parts["--over " + axis.name] = listed(axis.values);
  return parts;
}

// The specs that say something else now, a line each. Which there are is told by the axis, if there are several.
static std::string otherSpecs(const runtime::SweepFile &then, const runtime::SweepFile &now) {
  std::string text;
  for (const runtime::SweepSpec &spec : now.specs)
    if (const auto found = std::ranges::find(then.specs, spec.path, &runtime::SweepSpec::path);
        found != then.specs.end() && found->digest != spec.digest)
      text += fmt::format("  the spec: '{}' was changed since (or what it imports)\n", spec.path);
    else if (const runtime::SweepSpec &first = then.specs.front();
             found == then.specs.end() && now.specs.size() == 1 && first.digest != spec.digest)
      text += fmt::format("  the spec: '{}' is another than '{}'\n", spec.path, first.path);
  return text;
}

// Whether an axis has all values it had, maybe with others.
static bool isExtended(const runtime::Axis &then, const std::vector<runtime::Axis> &now) {
  const auto axis = std::ranges::find(now, then.name, &runtime::Axis::name);
  return axis != now.end() && std::ranges::all_of(then.values, [&](const std::string &value) {
           return std::ranges::find(axis->values, value) != axis->values.end();
         });
}

// Why a run of `then` is none of `now`, in its folder; "" where each is one.
static std::string otherRuns(const runtime::SweepFile &then, const runtime::SweepFile &now) {
  std::map<std::string, const runtime::SweepRun *> runs;
  for (const runtime::SweepRun &run : now.runs)
    runs[run.folder] = &run;
  for (const runtime::SweepRun &run : then.runs)
    if (const auto found = runs.find(run.folder); found == runs.end() || found->second->values != run.values)
      return "  the order of --over or of its values\n";
    else if (const runtime::SweepRun &other = *found->second; other.more != run.more)
      return fmt::format("  options of '{}' that come with its lr: was '{}', now '{}'\n", run.folder,
                         fmt::join(run.more, " "), fmt::join(other.more, " "));
  return "";
}

std::string differencesOf(const runtime::SweepFile &then, const runtime::SweepFile &now) {
  std::string text = otherSpecs(then, now);
  auto before = partsOf(then), after = partsOf(now);
  for (const runtime::Axis &axis : then.axes)
    if (isExtended(axis, now.axes))
      for (auto *parts : {&before, &after})
        parts->erase("--over " + axis.name);
  std::map<std::string, std::pair<const std::string *, const std::string *>> both;
  for (const auto &[name, value] : before)
    both[name].first = &value;
  for (const auto &[name, value] : after)
    both[name].second = &value;
  for (const auto &[name, values] : both) {
    const auto &[was, is] = values;
    if (!was)
      text += fmt::format("  {}: was not given, now '{}'\n", name, *is);
    else if (!is)
      text += fmt::format("  {}: was '{}', is not given now\n", name, *was);
    else if (*was != *is)
      text += fmt::format("  {}: was '{}', now '{}'\n", name, *was, *is);
  }
  return text.empty() ? otherRuns(then, now) : text;
}

} // namespace stretto::tools
