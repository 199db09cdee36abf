// What a run needs in memory against what there is, before anything is allocated; and what the process took.
#include "runtime/train/memory.h"

#include "runtime/core/error.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace stretto::runtime {
namespace {

// A number alone in a file, or -1 ("max", no such file).
int64_t numberIn(const char *path) {
  std::ifstream file(path);
  int64_t value = -1;
  return file >> value ? value : -1;
}

// The bytes that a line "<key> N kB" of a file tells, or 0.
int64_t kilobytesIn(const char *path, const std::string &key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      return std::atoll(line.c_str() + key.size()) * 1024;
  return 0;
}

// What ranks are told behind the memory that each of them has.
std::string shareOf(const MemoryLimit &limit) {
  return limit.ranks == 1 ? "" : fmt::format(", its part of {} for {} ranks", formatBytes(limit.bytes), limit.ranks);
}

} // namespace

MemoryPlan planMemory(const stretto_program &program, const MemoryUse &use, int64_t library) {
  int64_t bytes[STRETTO_ARENA_COUNT];
  for (int arena = 0; arena < STRETTO_ARENA_COUNT; ++arena)
    bytes[arena] = bytesOf(arena, program, use.shard);
  MemoryPlan plan;
  plan.activations = bytes[STRETTO_ARENA_ACTIVATIONS] - bytes[STRETTO_ARENA_GRADIENTS];
  plan.weights = bytes[STRETTO_ARENA_PARAMETERS] + bytes[STRETTO_ARENA_ROUNDED] + bytes[STRETTO_ARENA_FACTORS];
  plan.gradients = bytes[STRETTO_ARENA_GRADIENTS] + (use.accumulate ? bytes[STRETTO_ARENA_ACCUMULATOR] : 0);
  plan.moments = bytes[STRETTO_ARENA_MOMENT1] + bytes[STRETTO_ARENA_MOMENT2];
  plan.rest = bytes[STRETTO_ARENA_INPUTS] + bytes[STRETTO_ARENA_OUTPUTS] + bytes[STRETTO_ARENA_TABLES] +
              bytes[STRETTO_ARENA_HYPER] + bytes[STRETTO_ARENA_CACHE] + bytes[STRETTO_ARENA_SQUARES];
  plan.library = library;
  plan.exchange = use.exchange;
  plan.batches = use.batches;
  return plan;
}

int64_t availableMemory() {
  int64_t available = kilobytesIn("/proc/meminfo", "MemAvailable:");
  const int64_t limit = numberIn("/sys/fs/cgroup/memory.max"), used = numberIn("/sys/fs/cgroup/memory.current");
  if (limit > 0 && used >= 0)
    available = std::min(available, std::max<int64_t>(0, limit - used));
  return available;
}

int64_t residentPeak() { return kilobytesIn("/proc/self/status", "VmHWM:"); }

void checkMemory(const stretto_program &program, const MemoryPlan &plan, const MemoryLimit &limit) {
  const int64_t available = limit.bytes / limit.ranks;
  if (limit.bytes <= 0 || plan.total() <= available)
    return;
  // Weights, gradients, moments, libraries and the sequences of a step do not depend on the batch; everything else
  // grows with it. How much of the activations a smaller batch finds room for among the gradients is left out, and
  // libraries may compute a smaller batch in another way, which was seen to take 8.5 % more: what is named here fits.
  const int64_t fixed = plan.weights + plan.gradients + plan.moments + plan.library + plan.exchange + plan.batches;
  const int64_t perRow =
      std::max<int64_t>(1, (program.activation_bytes + plan.rest) / std::max<int64_t>(1, program.batch));
  const int64_t fits = (available - fixed - plan.library / 8) / perRow;
  const auto lengthThatFits = static_cast<int64_t>(
      static_cast<double>(program.length) * static_cast<double>(available - fixed) / static_cast<double>(perRow));
  const std::string advice =
      fits >= 1 ? fmt::format("the largest batch that fits is about {}: compile again with --batch {} "
                              "(and --accumulate {} for the same step)",
                              fits, fits, (program.batch + fits - 1) / fits)
      : lengthThatFits >= 1
          ? fmt::format(
                "not even one sequence fits; the largest length that fits is about {}: compile again with --batch 1 "
                "--length {}",
                lengthThatFits, lengthThatFits)
          : fmt::format("weights, gradients, moments, libraries and the sequences of a step alone need {}",
                        formatBytes(fixed));
  throw Error(fmt::format("{} must fit into {} of memory{}, but needs {} at batch {} ({}); {}",
                          limit.ranks == 1 ? "the run" : "a rank", formatBytes(available), shareOf(limit),
                          formatBytes(plan.total()), program.batch, describePlan(plan), advice));
}

void checkBatches(int64_t bytes, const MemoryLimit &limit) {
  const int64_t available = limit.bytes / limit.ranks;
  if (limit.bytes > 0 && bytes > available)
    throw Error(fmt::format("the sequences of two steps must fit into {} of the host's memory{}, but need {}: take a "
                            "smaller --accumulate",
                            formatBytes(available), shareOf(limit), formatBytes(bytes)));
}

std::string formatBytes(int64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string describePlan(const MemoryPlan &plan) {
  const auto ifAny = [](const char *name, int64_t bytes) {
    return bytes ? fmt::format("{} {}, ", name, formatBytes(bytes)) : "";
  };
  return fmt::format("activations {}, weights {}, gradients {}, moments {}, library {}, {}{}rest {}",
                     formatBytes(plan.activations), formatBytes(plan.weights), formatBytes(plan.gradients),
                     formatBytes(plan.moments), formatBytes(plan.library), ifAny("exchange", plan.exchange),
                     ifAny("batches", plan.batches), formatBytes(plan.rest));
}

} // namespace stretto::runtime
