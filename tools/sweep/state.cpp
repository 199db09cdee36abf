// What a run directory says about how far its run has come.
#include "tools/sweep/state.h"

#include "runtime/runs/curves.h"
#include "runtime/runs/read_file.h"
#include "runtime/train/toml.h"

#include <fmt/format.h>

#include <charconv>

namespace stretto::tools {

namespace fs = std::filesystem;

// The steps that a run was to take, and where its last checkpoint stands. None where it cannot be told: that is said
// when the run is to go on.
static std::optional<int64_t> stepsOf(const fs::path &run) {
  const std::string path = run / "run.toml";
  return runtime::parseToml(runtime::readIfThere(path, 1 << 20).value_or(""), path)["settings"]["steps"]
      .value<int64_t>();
}
static std::optional<int64_t> latestOf(const fs::path &run) {
  const std::string text = runtime::readIfThere(run / "ckpt" / "latest", 64).value_or("");
  int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  return error == std::errc() ? std::optional(step) : std::nullopt;
}

RunState stateOf(const fs::path &run) {
  std::error_code none;
  if (!fs::exists(run, none))
    return RunState::Absent;
  try {
    const std::optional<int64_t> latest = latestOf(run);
    return latest && latest == stepsOf(run) ? RunState::Finished : RunState::Begun;
  } catch (const runtime::Error &) {
    return RunState::Begun;
  }
}

std::string headlineOf(const fs::path &folder) {
  try {
    const runtime::Run run(folder.string());
    for (const std::string &metric : run.scoreNames)
      if (const std::vector<runtime::Point> &points = runtime::curveOf(run, metric); !points.empty())
        return metric + " " + runtime::valueText(run.unitOf(metric), points.back().value);
    return run.evaluationLoss.empty() ? "" : fmt::format("eval_loss {:.4f}", run.evaluationLoss.back().value);
  } catch (const runtime::Error &) {
    return "";
  }
}

} // namespace stretto::tools
