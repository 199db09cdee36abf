#include "tools/sweep/state.h"

#include "tools/compare/curves.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>

namespace stretto {

namespace fs = std::filesystem;

// -1 where it cannot be told.
static int64_t stepsOf(const fs::path &run) {
  try {
    return toml::parse_file((run / "run.toml").string())["settings"]["steps"].value_or(int64_t{-1});
  } catch (const toml::parse_error &) {
    return -1;
  }
}

RunState stateOf(const fs::path &run) {
  std::error_code none;
  if (!fs::exists(run, none))
    return RunState::Absent;
  std::ifstream latest(run / "ckpt" / "latest");
  int64_t step = -1;
  return latest >> step && step >= 0 && step == stepsOf(run) ? RunState::Finished : RunState::Begun;
}

std::string headlineOf(const fs::path &folder) {
  try {
    const Run run(folder.string());
    for (const std::string &metric : run.scoreNames)
      if (const std::vector<Point> &points = curveOf(run, metric); !points.empty())
        return metric + " " + valueText(run.unitOf(metric), points.back().value);
    return run.evaluationLoss.empty() ? "" : fmt::format("eval_loss {:.4f}", run.evaluationLoss.back().value);
  } catch (const Error &) {
    return "";
  }
}

} // namespace stretto
