// In which settings runs differ.
#include "runtime/runs/differences.h"

#include "runtime/runs/settings.h"

#include <algorithm>
#include <set>

namespace stretto::runtime {

static std::string taskOf(const Settings &settings) {
  const auto found = settings.find("task");
  return found == settings.end() ? "" : found->second;
}

// The settings of all runs, by group. What a run of before does not say is at the default that another run says: of its
// task a parameter, of any task a setting.
static std::vector<std::vector<Settings>> readAll(std::span<const RunGroup> groups) {
  std::vector<std::vector<Settings>> all;
  std::map<std::string, Settings> ofTasks;
  Settings ofAll;
  for (const RunGroup &group : groups) {
    std::vector<Settings> &runs = all.emplace_back();
    for (const Run &run : group.runs) {
      runs.push_back(readSettingsOverTime(run.folder));
      for (const auto &[name, value] : readDefaults(run.folder))
        (name.starts_with("task.") ? ofTasks[taskOf(runs.back())] : ofAll).emplace(name, value);
    }
  }
  for (std::vector<Settings> &runs : all)
    for (Settings &settings : runs) {
      const Settings &ofTask = ofTasks[taskOf(settings)];
      settings.insert(ofTask.begin(), ofTask.end());
      settings.insert(ofAll.begin(), ofAll.end());
    }
  return all;
}

// The settings all runs of a group share; "varies" for the others, "-" for those that some run does not have.
static Settings commonSettings(const std::vector<Settings> &runs, const std::set<std::string> &names) {
  Settings common;
  for (const std::string &name : names)
    for (const Settings &run : runs) {
      auto found = run.find(name);
      std::string value = found == run.end() ? "-" : found->second;
      auto [at, isNew] = common.emplace(name, value);
      if (!isNew && at->second != value)
        at->second = "varies";
    }
  return common;
}

static size_t countValues(const std::vector<Settings> &all, const std::string &name) {
  std::set<std::string> values;
  for (const Settings &settings : all)
    values.insert(settings.at(name));
  return values.size();
}

// Whether runs of one model have one spec, and the other way round.
static bool modelsAreSpecs(const std::vector<Settings> &all) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Settings &settings : all)
    pairs.insert({settings.at("model"), settings.at("spec")});
  return pairs.size() == countValues(all, "model") && pairs.size() == countValues(all, "spec");
}

static bool differ(const std::vector<Settings> &all, const std::string &name) {
  return all.front().contains(name) && countValues(all, name) > 1;
}

// Whether a setting is a parameter of models, or of tasks, that are others, and some do not have it.
static bool isOfOneKind(const std::vector<Settings> &all, const std::string &name) {
  const std::string kind = name.substr(0, name.find('.'));
  return (name.starts_with("model.") || name.starts_with("task.")) && differ(all, kind) &&
         std::ranges::any_of(all, [&](const Settings &settings) { return settings.at(name) == "-"; });
}

// Whether a setting tells how the groups differ. Of other models and tasks, parameters that one of them does not have
// do not, nor do the texts of the specs where the names of the models tell as much.
static bool tells(const std::vector<Settings> &all, const std::string &name) {
  if (!differ(all, name) || isOfOneKind(all, name))
    return false;
  return name != "spec" || !differ(all, "model") || !modelsAreSpecs(all);
}

Table differencesTable(std::span<const RunGroup> groups) {
  const std::vector<std::vector<Settings>> read = readAll(groups);
  std::set<std::string> names;
  for (const std::vector<Settings> &runs : read)
    for (const Settings &settings : runs)
      for (const auto &[name, value] : settings)
        names.insert(name);
  std::vector<Settings> all;
  for (const std::vector<Settings> &runs : read)
    all.push_back(commonSettings(runs, names));
  Table table{{"run"}, {}};
  for (const RunGroup &group : groups)
    table.rows.push_back({group.label});
  for (const std::string &name : names) {
    if (!tells(all, name))
      continue;
    table.header.push_back(name);
    for (size_t g = 0; g < groups.size(); ++g)
      table.rows[g].push_back(all[g].at(name));
  }
  return table;
}

} // namespace stretto::runtime
