// Run files in TOML.
#include "runtime/train/config_file.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/core/sealed.h"
#include "runtime/core/utf8.h"
#include "runtime/train/files.h"
#include "runtime/train/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace stretto::runtime {
namespace {

constexpr uint64_t maxBytes = 1 << 20;
// The first line of what a run wrote, as far as it is the same for all.
constexpr std::string_view title = "# What this run was started with";

// Where settings are read from, and who wrote it.
struct SettingsFile {
  std::string path;
  Origin::Kind kind;
};

std::string placeOf(const std::string &path, size_t line) { return fmt::format("{}:{}", path, line); }

Origin originOf(const SettingsFile &file, const toml::node &node) {
  return {file.kind, placeOf(file.path, node.source().begin.line)};
}

GivenValue valueOf(const SettingsFile &file, const std::string &name, const toml::node &node) {
  const Origin origin = originOf(file, node);
  if (auto value = node.as_string())
    return {value->get(), origin};
  if (auto value = node.as_integer())
    return {fmt::format("{}", value->get()), origin};
  if (auto value = node.as_floating_point())
    return {fmt::format("{}", value->get()), origin};
  if (auto value = node.as_boolean())
    return {value->get() ? "true" : "false", origin};
  throw Error(origin.placed(fmt::format("'{}' must be a string, a number or a boolean", name)));
}

void readSettings(const SettingsFile &file, const toml::table &table, ConfigLayer &layer) {
  std::vector<std::string> names;
  for (const Setting &setting : settings())
    names.push_back(setting.name);
  for (const auto &[key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(names, name) == names.end())
      throw Error(
          originOf(file, node)
              .placed(fmt::format("a setting must be an option, but got '{}'{}", name, suggestName(name, names))));
    layer.options[name] = valueOf(file, name, node);
  }
}

SettingChange readChange(const std::string &path, const toml::node &node) {
  const toml::table *table = node.as_table();
  const auto textOf = [&](std::string_view key) { return table ? (*table)[key].value<std::string>() : std::nullopt; };
  const std::optional<int64_t> step = table ? (*table)["at_step"].value<int64_t>() : std::nullopt;
  const std::optional<std::string> setting = textOf("setting"), from = textOf("from"), to = textOf("to");
  if (!step || !setting || !from || !to)
    throw Error(
        fmt::format("{}: what was changed must have at_step, and the texts setting, from and to, but lacks some",
                    placeOf(path, node.source().begin.line)));
  return {*step, *setting, *from, *to};
}

} // namespace

std::vector<SettingChange> readChanges(const std::string &path, const toml::table &file) {
  std::vector<SettingChange> changes;
  if (const toml::array *list = file["changed"].as_array())
    for (const toml::node &node : *list)
      changes.push_back(readChange(path, node));
  return changes;
}

std::string commentOf(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == '"')
      quoted = !quoted;
    else if (quoted && line[i] == '\\')
      ++i;
    else if (!quoted && line.substr(i).starts_with("# "))
      return std::string(line.substr(i + 2));
  return "";
}

// By place.
static std::map<std::string, std::string> commentsOf(const std::string &path, const std::string &content) {
  std::map<std::string, std::string> comments;
  std::istringstream lines(content);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);)
    comments[placeOf(path, ++number)] = commentOf(line);
  return comments;
}

static void readOrigins(const SettingsFile &file, const std::string &content, ConfigLayer &layer) {
  const std::map<std::string, std::string> comments = commentsOf(file.path, content);
  for (auto &[name, value] : layer.options)
    if (const auto found = comments.find(value.origin.text); found != comments.end())
      value.said = found->second;
}

static ConfigLayer parseConfig(const SettingsFile &file, const std::string &content) {
  const toml::table root = parseToml(content, file.path);
  ConfigLayer layer;
  layer.changed = readChanges(file.path, root);
  for (const auto &[key, node] : root) {
    const std::string name(key.str());
    if (name == "changed" && node.is_array())
      continue;
    if ((name != "settings" && name != "task") || !node.is_table())
      throw Error(
          originOf(file, node)
              .placed(fmt::format("a run file must hold the tables [settings] and [task], but got '{}'", name)));
    if (name == "settings")
      readSettings(file, *node.as_table(), layer);
    else
      for (const auto &[parameter, value] : *node.as_table())
        layer.taskSettings[std::string(parameter.str())] = valueOf(file, std::string(parameter.str()), value);
  }
  if (file.kind == Origin::Kind::RunFile)
    readOrigins(file, content, layer);
  return layer;
}

static bool wroteRun(std::string_view content) { return content.starts_with(title); }

void checkWhole(const std::string &path, std::string_view content) {
  if (wroteRun(content) && !unsealed(content))
    throw Error(
        fmt::format("'{}' must be as the run wrote it, but was cut or changed; without its first line it counts as a "
                    "file of your own",
                    path));
}

ConfigLayer readConfigFile(const std::string &path) {
  const std::string content = readFile(path, maxBytes, /*followLinks=*/true);
  checkWhole(path, content);
  return parseConfig({path, wroteRun(content) ? Origin::Kind::RunFile : Origin::Kind::OwnFile}, content);
}

ConfigLayer readRunFile(const std::string &run) {
  const std::string path = run + "/run.toml", content = readFile(path, maxBytes);
  if (!unsealed(content))
    throw Error(
        fmt::format("'{}' must be as the run wrote it, but was cut or changed, so that the settings of the run are not "
                    "known; give them on the command line of a new run",
                    path));
  return parseConfig({path, Origin::Kind::RunFile}, content);
}

void keepOrigins(RunConfig &config, const std::string &run) {
  const std::string path = run + "/run.toml";
  if (!pathExists(path))
    return;
  const std::map<std::string, std::string> said = commentsOf(path, readFile(path, maxBytes));
  for (auto *origins : {&config.origins, &config.taskOrigins})
    for (auto &[name, origin] : *origins)
      if (const auto found = said.find(origin.text);
          origin.kind == Origin::Kind::RunFile && found != said.end() && !found->second.empty())
        origin.text = found->second;
}

static void checkText(const std::string &name, const std::string &value) {
  if (validUtf8(value) != value.size())
    throw Error(fmt::format("{} must be text in UTF-8, as the run directory has to keep it, but got '{}'", name,
                            printable(value)));
}

void checkTexts(const RunConfig &config) {
  for (const Setting &setting : settings())
    if (setting.isStored() && setting.isText())
      checkText("--" + setting.name, setting.get(config));
  for (const auto &[name, value] : config.taskSettings)
    checkText("--task-set", name + "=" + value);
}

std::string writeConfigFile(const RunConfig &config) {
  std::string out = fmt::format("{}{}; each value with its origin.\n[settings]\n", title,
                                config.changed.empty() ? "" : ", and goes on with since the steps of [[changed]]");
  for (const Setting &setting : settings()) {
    if (!setting.isStored())
      continue;
    const std::string value = setting.get(config);
    if (value.empty() && !setting.isText())
      continue; // nobody says
    out += fmt::format("{} = {}  # {}\n", setting.name, setting.isText() ? quoteToml(value) : value,
                       commentToml(config.origins.at(setting.name).text));
  }
  if (!config.taskSettings.empty())
    out += "\n[task]\n";
  for (const auto &[name, value] : config.taskSettings)
    out += fmt::format("{} = {}  # {}\n", quoteToml(name), quoteToml(value),
                       commentToml(config.taskOrigins.at(name).text));
  for (const SettingChange &change : config.changed)
    out += fmt::format("\n[[changed]]\nat_step = {}\nsetting = {}\nfrom = {}\nto = {}\n", change.step,
                       quoteToml(change.name), quoteToml(change.from), quoteToml(change.to));
  return sealed(out);
}

} // namespace stretto::runtime
