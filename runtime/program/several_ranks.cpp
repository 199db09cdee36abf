// A run of several ranks, as far as it has to be known before one of them begins.
#include "runtime/program/several_ranks.h"

#include "runtime/core/cpu_features.h"
#include "runtime/core/error.h"
#include "runtime/dist/data_parallel.h"
#include "runtime/dist/spawn.h"
#include "runtime/train/checksum.h"
#include "runtime/train/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

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

// What the ranks do together, beyond the settings of a run.
std::string kindOf(const RunConfig &config) {
  std::string kind = config.trains()       ? "training"
                     : config.writesOnly() ? "answers"
                     : config.bench        ? "--bench"
                                           : "evaluation";
  const std::pair<bool, const char *> flags[] = {{config.resume, "--resume"},
                                                 {config.strict, "--strict"},
                                                 {config.profile, "--profile"},
                                                 {config.checkFinite, "--check-finite"},
                                                 {config.out == "none", "--out none"}};
  for (const auto &[isGiven, option] : flags)
    kind += isGiven ? fmt::format(" {}", option) : "";
  return kind;
}

// Of its kernels, the ranges in which they are launched, and the buckets that are exchanged.
std::string digestOfKernels(const stretto_program &program) {
  std::string text;
  for (const stretto_kernel &kernel : std::span(program.kernels, program.kernel_count))
    text += fmt::format("{} {} {}\n", kernel.name, kernel.chunks, kernel.chunk_rows);
  for (const stretto_bucket &bucket : std::span(program.buckets, program.bucket_count))
    text += fmt::format("{} {}\n", bucket.first_row, bucket.rows);
  return checksumOf(text.data(), text.size());
}

std::string orNone(std::string value) { return value.empty() ? "not given" : value; }

} // namespace

std::vector<std::pair<std::string, std::string>> whatMustAgree(const stretto_program &program, const RunConfig &config,
                                                               const std::string &data, std::string_view device) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"interface version", fmt::format("{}", program.abi_version)},
      {"spec hash", program.spec_hash},
      {"target", program.target},
      {"compiler", program.compiler},
      {"CPU that it was compiled for", program.cpu},
      {"type of numbers", typesOf(program)},
      {"batch", fmt::format("{} x {}", program.batch, program.length)},
      {"--mask-documents", program.input.is_masked ? "on" : "off"},
      {"digest of kernels", digestOfKernels(program)},
      {"data", data},
      {"kind of run", kindOf(config)},
      {"device", std::string(device)}};
  for (const Setting &setting : settings())
    if (setting.isStored())
      facts.emplace_back(setting.option->name, orNone(setting.get(config)));
  std::vector<std::string> ofTask;
  for (const auto &[name, value] : config.taskSettings)
    ofTask.push_back(fmt::format("{}={}", name, value));
  facts.emplace_back("--task-set", orNone(fmt::format("{}", fmt::join(ofTask, " "))));
  facts.emplace_back("CPU", cpuModel());
  return facts;
}

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
