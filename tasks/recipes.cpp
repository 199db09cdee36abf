// Recipes: how a task is trained.
#include "tasks/recipes.h"

#include "runtime/core/nearest.h"
#include "tasks/common/parameters.h"
#include "tasks/embedded_recipes.h"

#include <toml++/toml.h>

#include <cmath>
#include <functional>

namespace stretto::tasks {

namespace {

// Reads tables of one file into presets; every failure names the place.
class RecipeReader {
public:
  explicit RecipeReader(const std::string &origin) : origin(origin) {}

  std::vector<Preset> read(const toml::table &file) {
    for (const auto &[key, node] : file)
      if (std::string name(key.str()); name != "recipe" && name != "preset")
        fail(node,
             "has no table '" + name + "'" + runtime::suggestName(name, std::vector<std::string>{"recipe", "preset"}));
    Preset common;
    if (const toml::node *node = file.get("recipe"))
      readTable(table(*node, "recipe"), common);
    std::vector<Preset> presets;
    if (const toml::node *list = file.get("preset")) {
      if (!list->is_array_of_tables())
        fail(*list, "must be written as [[preset]]");
      for (const toml::node &node : *list->as_array())
        presets.push_back(readPreset(*node.as_table(), common));
    }
    if (presets.empty())
      fail(file, "must hold a [[preset]]");
    return presets;
  }

private:
  using Setter = std::function<void(const toml::node &, Preset &)>;

  [[noreturn]] void fail(const toml::node &node, const std::string &what) const {
    throw TaskError(origin + ":" + std::to_string(node.source().begin.line) + ": " + what);
  }

  const toml::table &table(const toml::node &node, const std::string &name) const {
    if (!node.is_table())
      fail(node, "'" + name + "' must be a table");
    return *node.as_table();
  }

  Setter text(std::string Preset::*member) const {
    return [=, this](const toml::node &node, Preset &preset) {
      if (!node.is_string())
        fail(node, "must be a string");
      preset.*member = node.as_string()->get();
    };
  }

  Setter integer(int64_t runtime::Recipe::*member, int64_t low) const {
    return [=, this](const toml::node &node, Preset &preset) {
      if (!node.is_integer() || node.as_integer()->get() < low)
        fail(node, "must be an integer of at least " + std::to_string(low));
      preset.recipe.*member = node.as_integer()->get();
    };
  }

  Setter real(double runtime::Recipe::*member, double high) const {
    return [=, this](const toml::node &node, Preset &preset) {
      std::optional<double> value = node.value<double>();
      if (!value || !(*value >= 0 && *value <= high))
        fail(node, std::string("must be a number in 0..") + (std::isinf(high) ? "inf" : "1"));
      preset.recipe.*member = *value;
    };
  }

  Setter coefficient(std::optional<double> runtime::Recipe::*member) const {
    return [=, this](const toml::node &node, Preset &preset) {
      std::optional<double> value = node.value<double>();
      if (!value || !(*value >= 0 && *value <= 1e6))
        fail(node, "must be a number in 0..1000000");
      preset.recipe.*member = value;
    };
  }

  void readSchedule(const toml::node &node, Preset &preset) const {
    std::string value = node.value_or(std::string());
    const std::vector<std::string> known = {"constant", "linear", "cosine"};
    if (std::find(known.begin(), known.end(), value) == known.end())
      fail(node, "has no schedule '" + value + "'" + runtime::suggestName(value, known));
    preset.recipe.schedule = value;
  }

  Setter list(std::vector<double> Preset::*member) const {
    return [=, this](const toml::node &node, Preset &preset) {
      (preset.*member).clear();
      if (!node.is_array())
        fail(node, "must be a list of numbers");
      for (const toml::node &item : *node.as_array()) {
        if (!item.is_number())
          fail(item, "must be a number");
        (preset.*member).push_back(*item.value<double>());
      }
    };
  }

  void readTask(const toml::node &node, Preset &preset) const {
    for (const auto &[key, value] : table(node, "task")) {
      if (!value.is_integer() && !value.is_string())
        fail(value, "task parameter '" + std::string(key.str()) + "' must be an integer or a string");
      preset.settings[std::string(key.str())] =
          value.is_integer() ? std::to_string(value.as_integer()->get()) : value.as_string()->get();
    }
  }

  void readTable(const toml::table &values, Preset &preset) const {
    const double unbounded = std::numeric_limits<double>::infinity();
    const std::map<std::string, Setter> setters = {
        {"name", text(&Preset::name)},
        {"about", text(&Preset::about)},
        {"batch", integer(&runtime::Recipe::batch, 1)},
        {"length", integer(&runtime::Recipe::length, 1)},
        {"steps", integer(&runtime::Recipe::steps, 1)},
        {"warmup", integer(&runtime::Recipe::warmup, 0)},
        {"learning_rate", real(&runtime::Recipe::learning_rate, unbounded)},
        {"weight_decay", real(&runtime::Recipe::weight_decay, unbounded)},
        {"beta1", real(&runtime::Recipe::beta1, 1)},
        {"beta2", real(&runtime::Recipe::beta2, 1)},
        {"epsilon", real(&runtime::Recipe::epsilon, unbounded)},
        {"clip", real(&runtime::Recipe::clip, unbounded)},
        {"final_fraction", real(&runtime::Recipe::final_fraction, 1)},
        {"schedule", [this](const toml::node &n, Preset &p) { readSchedule(n, p); }},
        {"learning_rates", list(&Preset::learningRates)},
        {"weight_decays", list(&Preset::weightDecays)},
        {"nll_square", coefficient(&runtime::Recipe::nll_square)},
        {"z_loss", coefficient(&runtime::Recipe::z_loss)},
        {"source", text(&Preset::source)},
        {"task", [this](const toml::node &n, Preset &p) { readTask(n, p); }},
    };
    for (const auto &[key, node] : values) {
      std::string name(key.str());
      auto setter = setters.find(name);
      if (setter == setters.end()) {
        std::vector<std::string> known;
        for (const auto &entry : setters)
          known.push_back(entry.first);
        fail(node, "has no value '" + name + "'" + runtime::suggestName(name, known));
      }
      setter->second(node, preset);
    }
  }

  Preset readPreset(const toml::table &values, Preset preset) const {
    readTable(values, preset);
    if (preset.name.empty())
      fail(values, "a preset must have a 'name'");
    const runtime::Recipe &recipe = preset.recipe;
    if (!recipe.batch || !recipe.length || !recipe.steps || recipe.schedule.empty())
      fail(values, "preset '" + preset.name + "' must set batch, length, steps and schedule");
    if (!preset.weightDecays.empty() && preset.weightDecays.size() != preset.learningRates.size())
      fail(values, "preset '" + preset.name + "' must have a weight decay for each of its " +
                       std::to_string(preset.learningRates.size()) + " learning rates, but has " +
                       std::to_string(preset.weightDecays.size()));
    preset.settings["length"] = std::to_string(recipe.length);
    return preset;
  }

  std::string origin;
};

} // namespace

std::vector<Preset> readPresets(std::string_view text, const std::string &origin) {
  try {
    return RecipeReader(origin).read(toml::parse(text));
  } catch (const toml::parse_error &error) {
    throw TaskError(origin + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
}

std::vector<Preset> presetsOf(const std::string &task) {
  std::vector<std::string> names;
  for (const EmbeddedRecipe &recipe : embeddedRecipes) {
    if (recipe.task == task)
      return readPresets(recipe.text, task + ".toml");
    names.emplace_back(recipe.task);
  }
  throw TaskError("no task is called '" + task + "'" + runtime::suggestName(task, names));
}

Preset findPreset(const std::string &task, const std::string &preset) {
  std::vector<std::string> names;
  for (Preset &candidate : presetsOf(task)) {
    if (preset.empty() || candidate.name == preset)
      return candidate;
    names.push_back(candidate.name);
  }
  throw TaskError("task '" + task + "': no preset is called '" + preset + "'" + runtime::suggestName(preset, names));
}

runtime::Recipe recipeFor(const std::string &task, const std::string &preset) {
  return findPreset(task, preset).recipe;
}

} // namespace stretto::tasks
