// In which settings runs differ.
#include "runtime/runs/differences.h"

#include "runtime/runs/read_file.h"
#include "runtime/train/config.h"
#include "runtime/train/json.h"
#include "runtime/train/toml.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

namespace stretto::runtime {

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
  const std::optional<std::string> text = readIfThere(path, 1 << 20);
  if (!text)
    return;
  checkWhole(path, *text);
  const toml::table file = parseToml(*text, path);
  for (const auto &[section, prefix] : {std::pair{"settings", ""}, std::pair{"task", "task."}}) {
    const toml::node *node = file.get(section);
    if (node && !node->is_table())
      throw Error(fmt::format("{}:{}: '{}' must be a table", path, node->source().begin.line, section));
    if (node)
      for (const auto &[key, value] : *node->as_table())
        settings[prefix + std::string(key.str())] = textOf(value);
  }
}

// Throws Error without the file's name.
static void takeParameters(const JsonValue &list, Settings &settings) {
  if (list.kind != JsonValue::Kind::Array)
    throw Error("must be a JSON list of parameters");
  for (const JsonValue &entry : list.items) {
    const JsonValue *name = entry.find("name"), *value = entry.find("value");
    if (!name || name->kind != JsonValue::Kind::String || !value)
      throw Error("each parameter must have a name and a value, but got " + formatJson(entry).substr(0, 100));
    settings["model." + name->text] = value->kind == JsonValue::Kind::String ? value->text : formatJson(*value);
  }
}

// The parameters of the model as the compiler writes them: a list of objects with "name" and "value".
static void readModelFile(const std::string &path, Settings &settings) {
  const std::optional<std::string> text = readIfThere(path, 16 << 20);
  if (!text)
    return;
  try {
    takeParameters(parseJson(*text, 16), settings);
  } catch (const Error &error) {
    throw Error(path + ": " + error.what());
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

} // namespace stretto::runtime
