#include "tools/compare/differences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace stretto {

using Settings = std::map<std::string, std::string>;

static std::string textOf(const toml::node &node) {
  if (const auto *text = node.as_string())
    return text->get();
  if (const auto *number = node.as_floating_point())
    return fmt::format("{}", number->get());
  std::ostringstream stream;
  node.visit([&](const auto &value) { stream << value; });
  return stream.str();
}

static void readRunFile(const std::string &path, Settings &settings) {
  if (!std::filesystem::exists(path))
    return;
  try {
    toml::table file = toml::parse_file(path);
    for (const auto &[section, prefix] : {std::pair{"settings", ""}, std::pair{"task", "task."}})
      if (const toml::table *table = file.get_as<toml::table>(section))
        for (const auto &[key, node] : *table)
          settings[prefix + std::string(key.str())] = textOf(node);
  } catch (const toml::parse_error &error) {
    throw Error(path + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
}

static std::string textOf(const nlohmann::json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The parameters of the model as the compiler writes them: a list of objects with "name" and "value".
static void readModelFile(const std::string &path, Settings &settings) {
  std::ifstream file(path);
  if (!file)
    return;
  auto list = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    throw Error(path + ": must be a JSON list of parameters");
  for (const auto &entry : list) {
    if (!entry.is_object() || !entry.contains("value") || !entry.contains("name") || !entry["name"].is_string())
      throw Error(path + ": each parameter must have a name and a value, but got " + entry.dump());
    settings["model." + entry["name"].get<std::string>()] = textOf(entry["value"]);
  }
}

std::map<std::string, std::string> readSettings(const std::string &folder) {
  Settings settings;
  readRunFile(folder + "/run.toml", settings);
  readModelFile(folder + "/build/settings.json", settings);
  return settings;
}

// The settings all runs of a group share; "varies" for the others, "-" for those that some run does not have.
static Settings commonSettings(const Group &group, const std::set<std::string> &names) {
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

Table differencesTable(std::span<const Group> groups) {
  std::set<std::string> names;
  for (const Group &group : groups)
    for (const Run &run : group.runs)
      for (const auto &[name, value] : readSettings(run.folder))
        names.insert(name);
  std::vector<Settings> all;
  for (const Group &group : groups)
    all.push_back(commonSettings(group, names));
  Table table{{"run"}, {}};
  for (const Group &group : groups)
    table.rows.push_back({group.label});
  for (const std::string &name : names) {
    std::set<std::string> values;
    for (const Settings &settings : all)
      values.insert(settings.at(name));
    if (values.size() < 2)
      continue;
    table.header.push_back(name);
    for (size_t g = 0; g < groups.size(); ++g)
      table.rows[g].push_back(all[g].at(name));
  }
  return table;
}

} // namespace stretto
