// What a run does otherwise since it was resumed.
#include "runtime/train/changes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {

std::vector<SettingChange> changesOf(const ConfigLayer &run, const RunConfig &config) {
  std::vector<SettingChange> changes;
  auto compare = [&](const std::string &name, const std::string &listed,
                     const std::map<std::string, GivenValue> &before, const std::string &now) {
    if (const auto value = before.find(name); value != before.end() && value->second.text != now)
      changes.push_back({0, listed, value->second.text, now});
  };
  for (const Setting &setting : settings())
    compare(setting.name, setting.name, run.options, setting.get(config));
  for (const auto &[name, value] : config.taskSettings)
    if (name != "length") // is the program's
      compare(name, "task." + name, run.taskSettings, value);
  return changes;
}

std::vector<SettingChange> changedAt(int64_t step, std::vector<SettingChange> before,
                                     const std::vector<SettingChange> &now) {
  std::vector<SettingChange> all;
  before.insert(before.end(), now.begin(), now.end());
  for (size_t i = 0; i < before.size(); ++i) {
    SettingChange change = before[i];
    change.step = i < before.size() - now.size() ? std::min(change.step, step) : step;
    const auto same = std::ranges::find_if(
        all, [&](const SettingChange &other) { return other.step == change.step && other.name == change.name; });
    if (same == all.end())
      all.push_back(change);
    else
      same->to = change.to;
  }
  std::erase_if(all, [](const SettingChange &change) { return change.from == change.to; });
  return all;
}

bool changeSteps(const std::vector<SettingChange> &changes, const RunConfig &config) {
  static constexpr std::string_view beside[] = {"eval-every",  "eval-batches", "eval-generate",
                                                "temperature", "save-every",   "keep"};
  return std::ranges::any_of(changes, [&](const SettingChange &change) {
    return change.name == "steps" ? config.schedule != "constant"
                                  : std::ranges::find(beside, change.name) == std::end(beside);
  });
}

std::string changesText(const std::vector<SettingChange> &changes) {
  std::vector<std::string> texts;
  for (const SettingChange &change : changes)
    texts.push_back(fmt::format("{} = {} instead of {}", change.name, change.to, change.from));
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace stretto::runtime
