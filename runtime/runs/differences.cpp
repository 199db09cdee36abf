// In which settings runs differ.
#include "runtime/runs/differences.h"

#include "runtime/runs/settings.h"

#include <algorithm>
#include <set>

namespace stretto::runtime {

// The settings all runs of a group share; "varies" for the others, "-" for those that some run does not have.
static Settings commonSettings(const RunGroup &group, const std::set<std::string> &names) {
  std::vector<Settings> runs;
  for (const Run &run : group.runs)
    runs.push_back(readSettings(run.folder));
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

// Whether a setting tells how the groups differ. Of other models, parameters that one of them does not have do not, nor
// do the texts of the specs where the names of the models tell as much.
static bool tells(const std::vector<Settings> &all, const std::string &name) {
  const size_t count = countValues(all, name), models = all.front().contains("model") ? countValues(all, "model") : 1;
  if (count < 2 || models < 2)
    return count > 1;
  if (name == "spec")
    return !modelsAreSpecs(all);
  return !name.starts_with("model.") ||
         std::ranges::none_of(all, [&](const Settings &settings) { return settings.at(name) == "-"; });
}

Table differencesTable(std::span<const RunGroup> groups) {
  std::set<std::string> names;
  for (const RunGroup &group : groups)
    for (const Run &run : group.runs)
      for (const auto &[name, value] : readSettings(run.folder))
        names.insert(name);
  std::vector<Settings> all;
  for (const RunGroup &group : groups)
    all.push_back(commonSettings(group, names));
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
