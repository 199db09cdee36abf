// What a run was made with, as its folder says.
#include "runtime/runs/settings.h"

#include "runtime/core/sealed.h"
#include "runtime/runs/read_file.h"
#include "runtime/train/config_file.h"
#include "runtime/train/json.h"
#include "runtime/train/toml.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sstream>
#include <utility>
#include <vector>

namespace stretto::runtime {

// The tables of run.toml, and what stands before the names of their settings.
static constexpr std::pair<const char *, const char *> sections[] = {{"settings", ""}, {"task", "task."}};

static std::string textOf(const toml::node &node) {
  if (const auto *text = node.as_string())
    return text->get();
  if (const auto *number = node.as_floating_point())
    return fmt::format("{}", number->get());
  std::ostringstream stream;
  node.visit([&](const auto &value) { stream << value; });
  return stream.str();
}

// The text of run.toml; empty where there is none.
static std::string textOfRunFile(const std::string &path) {
  const std::string text = readIfThere(path, 1 << 20).value_or("");
  checkWhole(path, text);
  return text;
}

static void readRunFile(const std::string &path, Settings &settings) {
  const toml::table file = parseToml(textOfRunFile(path), path);
  for (const auto &[section, prefix] : sections) {
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

// What shaped the program, a word a line: options with their values, and flags. What --set says is among the parameters
// of the model.
static void readOptionsFile(const std::string &path, Settings &settings) {
  const std::optional<std::string> text = readIfThere(path, 16 << 20);
  if (!text)
    return;
  const std::optional<std::string_view> whole = unsealed(*text);
  if (!whole)
    throw Error(path + ": must be as the run wrote it, but was cut or changed");
  std::istringstream words{std::string(*whole)};
  std::string *value = nullptr;
  for (std::string word; std::getline(words, word);) {
    const bool isOption = word.starts_with("--");
    if (!isOption && value)
      *value = word;
    value = isOption && word != "--set" ? &(settings[word.substr(2)] = "on") : nullptr;
  }
}

// Which text a file has.
static void readText(const std::string &path, uint64_t most, const std::string &name, Settings &settings) {
  if (const std::optional<std::string> text = readIfThere(path, most))
    settings[name] = fmt::format("{:08x}", XXH3_64bits(text->data(), text->size()) >> 32);
}

// Whether a value is what it is where nobody asks for something. Programs say nothing of what they were not compiled
// with.
static bool isDefault(const std::string &line, const std::string &value) {
  const std::string origin = commentOf(line);
  return origin == Origin().text || (origin == "program" && (value.empty() || value == "0"));
}

Settings readDefaults(const std::string &folder) {
  const std::string path = folder + "/run.toml", text = textOfRunFile(path);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  Settings defaults;
  const toml::table file = parseToml(text, path);
  for (const auto &[section, prefix] : sections)
    if (const toml::table *table = file[section].as_table())
      for (const auto &[key, value] : *table)
        if (isDefault(lines.at(value.source().begin.line - 1), textOf(value)))
          defaults[prefix + std::string(key.str())] = textOf(value);
  return defaults;
}

Settings readSettings(const std::string &folder) {
  Settings settings;
  readRunFile(folder + "/run.toml", settings);
  readOptionsFile(folder + "/build/options.txt", settings);
  readModelFile(folder + "/build/settings.json", settings);
  readText(folder + "/spec.stretto", 16 << 20, "spec", settings);
  readText(folder + "/build/stage.mlir", 1 << 30, "stage", settings);
  // Said by the task, too.
  const auto length = settings.find("length"), ofTask = settings.find("task.length");
  if (length != settings.end() && ofTask != settings.end() && length->second == ofTask->second)
    settings.erase(length);
  return settings;
}

Settings readSettingsOverTime(const std::string &folder) {
  const std::string path = folder + "/run.toml";
  Settings settings = readSettings(folder);
  const auto schedule = settings.find("schedule");
  const bool isLonger = schedule != settings.end() && schedule->second == "constant"; // with more steps, and the same
  std::map<std::string, std::string> values;                                          // of what was changed
  for (const SettingChange &change : readChanges(path, parseToml(textOfRunFile(path), path))) {
    if (change.step == 0 || (isLonger && change.name == "steps"))
      continue;
    std::string &text = values.emplace(change.name, change.from).first->second;
    text += fmt::format(", {} from step {}", change.to, change.step + 1);
  }
  for (const auto &[name, text] : values)
    settings[name] = text;
  return settings;
}

} // namespace stretto::runtime
