// From the arguments of `stretto compare` to groups of runs.
#include "runtime/runs/groups.h"

#include "runtime/core/nearest.h"
#include "runtime/runs/settings.h"
#include "runtime/runs/sweep_file.h"
#include "runtime/train/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <ranges>
#include <set>

namespace stretto::runtime {

namespace fs = std::filesystem;

namespace {

// The runs of one setting at one value of the axis the best is taken of.
struct Candidate {
  std::string value;
  RunGroup group;
  size_t done = 0; // runs that have come to their last step with finite numbers
};

// The runs of one setting.
struct Setting {
  std::vector<std::string> values; // of Sweep::dims
  std::vector<Candidate> candidates;
};

// One sweep directory, taken apart.
class Sweep {
public:
  Sweep(const std::string &folder, const std::string &wantedBest) : folder(folder), file(readSweepFile(folder)) {
    for (const Axis &axis : file.axes)
      if (axis.values.size() > 1 && axis.name != "seed" && axis.name == (wantedBest.empty() ? "lr" : wantedBest))
        best = axis.name;
    std::ranges::copy_if(file.axes, std::back_inserter(dims),
                         [&](const Axis &axis) { return axis.name != best && axis.name != "seed"; });
    if (const auto seed = std::ranges::find(file.axes, "seed", &Axis::name); seed != file.axes.end())
      seeds = seed->values.size();
    readRuns();
  }

  void appendTo(Comparison &comparison, bool named) const;
  bool has(const std::string &axis) const { return std::ranges::find(file.axes, axis, &Axis::name) != file.axes.end(); }

private:
  void readRuns();
  Setting &settingOf(const std::vector<std::string> &values);
  std::vector<size_t> variedDims() const;
  std::string valuesText(const Setting &setting, std::span<const size_t> of) const;
  std::string labelOf(const Setting &setting, bool named) const;
  bool decide(std::span<const size_t> of, std::span<const std::string> scores) const;
  std::vector<size_t> decidingDims(std::span<const std::string> scores) const;
  std::string scoresText() const;
  bool isWhole(const Candidate &candidate) const { return candidate.done == seeds; }
  size_t chooseOf(const Setting &setting) const;

  std::string folder;
  SweepFile file;
  std::string best;       // "": no choice
  std::vector<Axis> dims; // the axes that are neither the seed nor the one to choose
  size_t seeds = 1;       // runs of a candidate
  std::vector<Setting> settings;
  std::vector<std::string> absent; // folders of runs that have written nothing
  size_t lost = 0;                 // runs whose last loss or norm of gradients is not finite
  size_t unfinished = 0;           // others that have not come to their last step
};

} // namespace

// As far as run.toml tells.
static bool isFinished(const Run &run) {
  const Settings settings = readSettings(run.folder);
  const auto steps = settings.find("steps");
  return steps == settings.end() || steps->second == std::to_string(run.lastStep());
}

// Of a run that may still come to its end.
static bool isUnfinished(const Run &run) { return !isFinished(run) && !run.isLost(); }

// Whether the mean of a metric is better in the first group (1), in the second (-1) or the same in both (0), but for
// what the order of a sum changes. A group without the metric is behind.
static int compareMeans(const RunGroup &first, const RunGroup &second, const std::string &metric) {
  const Figure a = finalFigure(first, metric), b = finalFigure(second, metric);
  if (a.values.empty() || b.values.empty())
    return int(b.values.empty()) - int(a.values.empty());
  const double gain = a.mean() - b.mean();
  if (std::abs(gain) <= 1e-12 * std::max(std::abs(a.mean()), std::abs(b.mean())))
    return 0;
  return (gain > 0) == lessIsBetter(metric, unitOf({&first, 1}, metric)) ? -1 : 1;
}

Setting &Sweep::settingOf(const std::vector<std::string> &values) {
  auto found = std::ranges::find(settings, values, &Setting::values);
  if (found != settings.end())
    return *found;
  settings.push_back({values, {}});
  return settings.back();
}

void Sweep::readRuns() {
  for (const SweepRun &run : file.runs) {
    const fs::path path = fs::path(folder) / run.folder;
    std::vector<std::string> values;
    std::string chosen;
    for (size_t a = 0; a < file.axes.size(); ++a)
      if (file.axes[a].name == best)
        chosen = run.values[a];
      else if (file.axes[a].name != "seed")
        values.push_back(run.values[a]);
    if (!pathExists(path / "metrics.jsonl")) {
      absent.push_back(run.folder);
      continue;
    }
    Setting &setting = settingOf(values);
    auto candidate = std::ranges::find(setting.candidates, chosen, &Candidate::value);
    if (candidate == setting.candidates.end())
      candidate = setting.candidates.insert(candidate, {chosen, {}});
    const Run &read = candidate->group.runs.emplace_back(path.string());
    candidate->done += isFinished(read) && !read.isLost();
    unfinished += isUnfinished(read);
    lost += read.isLost();
  }
}

// An axis and its value, as people read it. Of a spec that is its name, if no other one is called so.
static std::string textOf(const Axis &axis, const std::string &value) {
  if (!axis.isSpec())
    return axis.name.substr(axis.name.find('.') + 1) + " " + value;
  const auto nameOf = [](const std::string &path) { return fs::path(path).stem().string(); };
  const bool isAlone = std::ranges::count(axis.values, nameOf(value), nameOf) == 1;
  return isAlone ? nameOf(value) : value;
}

// Those that have several values.
std::vector<size_t> Sweep::variedDims() const {
  std::vector<size_t> varied;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].values.size() > 1)
      varied.push_back(d);
  return varied;
}

std::string Sweep::valuesText(const Setting &setting, std::span<const size_t> of) const {
  std::string text;
  for (const size_t d : of)
    text += (text.empty() ? "" : ", ") + textOf(dims[d], setting.values[d]);
  return text;
}

std::string Sweep::labelOf(const Setting &setting, bool named) const {
  const std::string label = valuesText(setting, variedDims());
  const std::string name = (fs::path(folder) / "").lexically_normal().parent_path().filename().string();
  return label.empty() ? name : named ? name + ": " + label : label;
}

// The score by which the candidates of a setting are compared.
static std::string headlineOf(const Setting &setting) {
  std::vector<RunGroup> groups;
  for (const Candidate &candidate : setting.candidates)
    groups.push_back(candidate.group);
  return headlineOf(groups);
}

// Whether the values of these axes tell which of the scores, one of each setting, a setting has.
bool Sweep::decide(std::span<const size_t> of, std::span<const std::string> scores) const {
  std::map<std::string, std::string> known; // scores by values
  for (size_t i = 0; i < settings.size(); ++i)
    if (known.emplace(valuesText(settings[i], of), scores[i]).first->second != scores[i])
      return false;
  return true;
}

// The first of many.
static std::string listText(const std::vector<std::string> &texts) {
  constexpr size_t most = 4;
  const std::string told = fmt::format("{}", fmt::join(texts | std::views::take(most), "; "));
  return texts.size() <= most ? told : fmt::format("{} and {} more", told, texts.size() - most);
}

// As few axes as decide.
std::vector<size_t> Sweep::decidingDims(std::span<const std::string> scores) const {
  std::vector<size_t> deciding = variedDims();
  for (size_t i = deciding.size(); i-- > 0;) {
    std::vector<size_t> others = deciding;
    others.erase(others.begin() + std::ptrdiff_t(i));
    if (decide(others, scores))
      deciding = others;
  }
  return deciding;
}

// The scores that choose; where they differ, each with the values of the axes that decide.
std::string Sweep::scoresText() const {
  std::vector<std::string> scores;
  std::ranges::transform(settings, std::back_inserter(scores), [](const Setting &of) { return headlineOf(of); });
  const std::vector<size_t> deciding = decidingDims(scores);
  std::vector<std::pair<std::string, std::vector<std::string>>> labels; // by score, in order of first mention
  for (size_t i = 0; i < settings.size(); ++i) {
    auto known = std::ranges::find(labels, scores[i], [](const auto &entry) { return entry.first; });
    if (known == labels.end())
      known = labels.insert(known, {scores[i], {}});
    const std::string label = valuesText(settings[i], deciding);
    if (std::ranges::find(known->second, label) == known->second.end())
      known->second.push_back(label);
  }
  if (labels.size() == 1)
    return labels[0].first;
  std::vector<std::string> texts;
  for (const auto &[score, of] : labels)
    texts.push_back(fmt::format("{} ({})", score, listText(of)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The first candidate that no other one is ahead of. Where all runs are done is ahead of where some are not.
size_t Sweep::chooseOf(const Setting &setting) const {
  const std::string metric = headlineOf(setting);
  size_t chosen = 0;
  for (size_t i = 1; i < setting.candidates.size(); ++i) {
    const RunGroup &group = setting.candidates[i].group, &best = setting.candidates[chosen].group;
    const int byRuns = int(isWhole(setting.candidates[i])) - int(isWhole(setting.candidates[chosen]));
    const int byScore = byRuns ? byRuns : compareMeans(group, best, metric);
    if (byScore > 0 || (byScore == 0 && compareMeans(group, best, "eval_loss") > 0))
      chosen = i;
  }
  return chosen;
}

// How many runs have no figures.
static std::string tellLost(size_t lost, size_t runs, const std::string &name) {
  return fmt::format(
      "Without figures, as their last loss or norm of gradients is not finite: {} of the {} runs of '{}'.", lost, runs,
      name);
}

static std::string tellUnfinished(size_t unfinished, size_t runs, const std::string &name) {
  return fmt::format("Not finished, and shown as far as they have come: {} of the {} runs of '{}'.", unfinished, runs,
                     name);
}

void Sweep::appendTo(Comparison &comparison, bool named) const {
  std::vector<std::string> passedOver;
  for (const Setting &setting : settings) {
    const size_t chosen = chooseOf(setting);
    for (const Candidate &candidate : setting.candidates)
      if (isWhole(setting.candidates[chosen]) && !isWhole(candidate))
        passedOver.push_back(
            fmt::format("{} of {} ({} of {} runs)", candidate.value, labelOf(setting, named), candidate.done, seeds));
    RunGroup group = setting.candidates[chosen].group;
    group.label = labelOf(setting, named);
    if (!best.empty())
      group.choices.push_back({"best " + best.substr(best.find('.') + 1),
                               fmt::format("{} (of {})", setting.candidates[chosen].value, setting.candidates.size())});
    comparison.groups.push_back(std::move(group));
  }
  if (!best.empty() && !settings.empty())
    comparison.notes.push_back(
        fmt::format("Of each setting of '{}', the {} with the best mean of {} is shown; --best none "
                    "shows all.",
                    folder, best.substr(best.find('.') + 1), scoresText()));
  if (!passedOver.empty())
    comparison.notes.push_back(fmt::format(
        "Passed over, as not all runs have come to their end with finite numbers: {}.", fmt::join(passedOver, ", ")));
  if (lost)
    comparison.notes.push_back(tellLost(lost, file.runs.size(), folder));
  if (unfinished)
    comparison.notes.push_back(tellUnfinished(unfinished, file.runs.size(), folder));
  if (!absent.empty())
    comparison.notes.push_back(
        fmt::format("Left out, as they have written nothing yet: {} of the {} runs of '{}' ({}).", absent.size(),
                    file.runs.size(), folder, fmt::join(absent, ", ")));
}

static std::set<std::string> tasksOf(const RunGroup &group) {
  std::set<std::string> tasks;
  for (const Run &run : group.runs) {
    const Settings settings = readSettings(run.folder);
    const auto task = settings.find("task");
    tasks.insert(task == settings.end() || task->second.empty() ? "none" : task->second);
  }
  return tasks;
}

static void checkBest(std::span<const Sweep> sweeps, std::span<const std::string> arguments, const std::string &best) {
  if (best.empty() || best == "none")
    return;
  std::vector<std::string> known{"none"};
  for (const std::string &argument : arguments)
    if (isSweep(argument))
      for (const Axis &axis : readSweepFile(argument).axes)
        if (axis.name != "seed" && std::ranges::find(known, axis.name) == known.end())
          known.push_back(axis.name);
  const bool isAxis = std::ranges::any_of(sweeps, [&](const Sweep &sweep) { return sweep.has(best); });
  if (!isAxis || best == "seed")
    throw Error("--best must be 'none' or an axis of a sweep other than the seed, but got '" + best + "'" +
                suggestName(best, known));
}

Comparison readComparison(std::span<const std::string> arguments, const std::string &best) {
  Comparison comparison;
  std::vector<Sweep> sweeps;
  for (const std::string &argument : arguments)
    if (isSweep(argument))
      sweeps.emplace_back(argument, best);
  checkBest(sweeps, arguments, best);
  auto sweep = sweeps.begin();
  for (const std::string &argument : arguments)
    if (isSweep(argument))
      (sweep++)->appendTo(comparison, arguments.size() > 1);
    else {
      const RunGroup &group = comparison.groups.emplace_back(readGroup(argument));
      if (const size_t lost = size_t(std::ranges::count_if(group.runs, &Run::isLost)))
        comparison.notes.push_back(tellLost(lost, group.runs.size(), group.label));
      if (const size_t unfinished = size_t(std::ranges::count_if(group.runs, isUnfinished)))
        comparison.notes.push_back(tellUnfinished(unfinished, group.runs.size(), group.label));
      if (const std::set<std::string> tasks = tasksOf(group); tasks.size() > 1)
        comparison.notes.push_back(
            fmt::format("The runs of '{}' have different tasks, and a mean over these says little: {}.", group.label,
                        fmt::join(tasks, ", ")));
    }
  if (comparison.groups.empty())
    throw Error("there must be a run to show, but none of '" + fmt::format("{}", fmt::join(arguments, "', '")) +
                "' has written anything yet");
  return comparison;
}

} // namespace stretto::runtime
