// A run of several ranks, as far as it has to be known before one of them begins.
#include "runtime/program/several_ranks.h"

#include "runtime/core/error.h"
#include "runtime/dist/data_parallel.h"
#include "runtime/dist/spawn.h"

#include <fmt/format.h>

namespace stretto::runtime {
namespace {

// The option that is for one rank alone; null where none is given.
const ProgramOption *optionForOne(const RunConfig &config) {
  for (const Setting &setting : settings())
    if (setting.option->kind == ProgramOption::oneRank && !setting.get(config).empty())
      return setting.option;
  return nullptr;
}

// `variable`: what says how many ranks there are.
void checkSeveral(const RunConfig &config, int64_t ranks, const std::string &variable) {
  if (const ProgramOption *option = optionForOne(config))
    throw Error(fmt::format("{} must be given to one rank, but got {} ({})", option->name, ranks, variable));
  if (config.virtualRanks > 0)
    shareVirtualRanks(config.virtualRanks, ranks);
}

} // namespace

void checkRanks(const RunConfig &config) {
  if (config.ranks > 1)
    checkSeveral(config, config.ranks, "--ranks");
  if (config.maxRestarts == 0)
    return;
  if (config.ranks == 1)
    throw Error("--max-restarts needs ranks to start: give --ranks N");
  if (config.out == "none" || config.origins.at("out").isDefault())
    throw Error("--max-restarts needs the run directory: give --out FOLDER");
}

std::optional<Launch> launchOf(const RunConfig &config, const Environment &environment) {
  const bool isGiven = !config.origins.at("ranks").isDefault();
  if (isGiven && config.ranks == 1)
    return std::nullopt;
  std::optional<Launch> launch = findLaunch(environment);
  if (!launch)
    return std::nullopt;
  if (isGiven && config.ranks != launch->ranks)
    throw Error(fmt::format("--ranks must be the {} that {} started ({}), but got {}", launch->ranks, launch->by,
                            launch->ranksVariable, config.ranks));
  checkSeveral(config, launch->ranks, launch->ranksVariable);
  return launch;
}

int startRanks(const RunConfig &config, int argc, const char *const *argv) {
  RanksToStart what{.program = "/proc/self/exe", // what is running, whatever has become of the file
                    .arguments = {argv, argv + argc},
                    .again = {argv, argv + argc},
                    .ranks = static_cast<int>(config.ranks),
                    .maxRestarts = static_cast<int>(config.maxRestarts)};
  if (!config.resume)
    what.again.push_back("--resume");
  return runRanks(what);
}

} // namespace stretto::runtime
