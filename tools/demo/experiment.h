// What the demonstration trains.
#pragma once

#include "tasks/recipes.h"

#include <filesystem>

namespace stretto::tools {

// One comparison: the same spec on the same data with and without Canon layers.
struct Experiment {
  std::string name, title, question; // question: what the comparison asks, as a sentence
  std::string task, preset;
  std::map<std::string, std::string> model; // parameters of the spec
};

const std::vector<Experiment> &experiments();

// The two variants, in the order they are shown.
struct Variant {
  std::string name, label, canonAt; // canonAt: value of the spec's parameter canon_at
};
const std::vector<Variant> &variants();

// Where things are and how much is run.
struct DemoOptions {
  std::filesystem::path stretto, spec, output = "runs/demo";
  int64_t seeds = 3, threads = 1;
  int64_t steps = 0;             // 0: as the preset says
  std::vector<std::string> only; // names of experiments; empty: all
};

// Steps of one training run.
int64_t stepsOf(const Experiment &experiment, const DemoOptions &options);

// The run directory of one training run.
std::filesystem::path runFolder(const DemoOptions &options, const Experiment &experiment, const Variant &variant,
                                int64_t seed);

// The command that trains it.
std::vector<std::string> trainCommand(const DemoOptions &options, const Experiment &experiment, const Variant &variant,
                                      int64_t seed);

} // namespace stretto::tools
