// Recipes: how a task is trained. They are TOML files (tasks/recipes), embedded into the program, so that it
// finds them wherever it runs.
#pragma once

#include "runtime/train/task.h"

#include <string_view>

namespace stretto::tasks {

// A named difficulty of a task: its parameters and its training constants.
struct Preset {
  std::string name, about;
  runtime::Recipe recipe;
  std::map<std::string, std::string> settings; // for makeTask; holds "length" as the recipe does
  std::vector<double> learningRates;           // the grid that the paper searched; recipe holds one of them
  std::vector<double> weightDecays;            // the one of each learning rate; none: all have the recipe's
  std::string source;                          // where its training constants are from
};

// The presets of a task in the order of the file, easy to hard. Throws TaskError for an unknown task.
std::vector<Preset> presetsOf(const std::string &task);

// One of them; with an empty name the first. Throws TaskError for an unknown name, with the nearest one.
Preset findPreset(const std::string &task, const std::string &preset = "");

// Its training constants alone.
runtime::Recipe recipeFor(const std::string &task, const std::string &preset = "");

// Presets from the text of a recipe file: a table [recipe] of values common to all, then one [[preset]] each
// with a name, a line about it, the task's parameters, and whatever differs from [recipe]. Throws TaskError
// that opens with "origin:line:" for unknown keys, wrong types, values out of range and syntax errors.
std::vector<Preset> readPresets(std::string_view text, const std::string &origin);

} // namespace stretto::tasks
