// What the demonstration trains.
#include "tools/demo/experiment.h"

#include <algorithm>

namespace stretto::tools {

const std::vector<Experiment> &experiments() {
  static const std::vector<Experiment> all = {
      {"one-hop",
       "One layer, one step",
       "Can one layer of attention name the successor of a node, given the edges of a cycle in random order?",
       "depo1",
       "one-hop",
       {{"layers", "1"}, {"dim", "64"}, {"heads", "2"}}},
      {"two-hops",
       "Two layers, two steps",
       "Can two layers of attention take two steps along the cycle, a step a layer?",
       "depo1",
       "two-hops",
       {{"layers", "2"}, {"dim", "64"}, {"heads", "2"}, {"rotary_fraction", "0.25"}}},
  };
  return all;
}

const std::vector<Variant> &variants() {
  static const std::vector<Variant> both = {
      {"canon", "with Canon", "{A, B, C, D}"},
      {"plain", "without Canon", "{}"},
  };
  return both;
}

int64_t stepsOf(const Experiment &experiment, const DemoOptions &options) {
  return options.steps ? options.steps : tasks::recipeFor(experiment.task, experiment.preset).steps;
}

std::filesystem::path runFolder(const DemoOptions &options, const Experiment &experiment, const Variant &variant,
                                int64_t seed) {
  return options.output / experiment.name / (variant.name + "-seed" + std::to_string(seed));
}

std::vector<std::string> trainCommand(const DemoOptions &options, const Experiment &experiment, const Variant &variant,
                                      int64_t seed) {
  int64_t steps = stepsOf(experiment, options);
  std::vector<std::string> command = {options.stretto, "train", options.spec};
  auto add = [&](const std::string &option, const std::string &value) {
    command.push_back("--" + option);
    command.push_back(value);
  };
  add("task", experiment.task);
  add("preset", experiment.preset);
  for (const auto &[name, value] : experiment.model)
    add("set", name + "=" + value);
  add("set", "canon_at=" + variant.canonAt);
  add("steps", std::to_string(steps));
  add("seed", std::to_string(seed));
  add("threads", std::to_string(options.threads));
  add("eval-every", std::to_string(std::max<int64_t>(1, steps / 20)));
  add("save-every", "0");
  add("progress", "plain");
  add("out", runFolder(options, experiment, variant, seed));
  return command;
}

} // namespace stretto::tools
