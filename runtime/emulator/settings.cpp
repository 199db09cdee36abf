// What the environment (or a test) asks of the emulator.
#include "runtime/emulator/settings.h"

#include "runtime/emulator/report.h"

#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace stretto::emulator {
namespace {

uint64_t seedOfEnvironment() {
  const char *text = std::getenv("STRETTO_EMULATOR_SEED");
  if (!text)
    return 0;
  char *end = nullptr;
  const uint64_t seed = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end)
    report(fmt::format("STRETTO_EMULATOR_SEED must be a number, but got '{}'", text));
  return seed;
}

stretto_emulator_checks checksOfEnvironment() {
  const char *text = std::getenv("STRETTO_EMULATOR_CHECKS");
  const std::string_view name = text ? text : "fast";
  if (name == "none")
    return STRETTO_EMULATOR_CHECKS_NONE;
  if (name == "fast")
    return STRETTO_EMULATOR_CHECKS_FAST;
  if (name != "full")
    report(fmt::format("STRETTO_EMULATOR_CHECKS must be none, fast or full, but got '{}'", name));
  return STRETTO_EMULATOR_CHECKS_FULL;
}

std::atomic<uint64_t> &seed() {
  static std::atomic<uint64_t> value = seedOfEnvironment();
  return value;
}

std::atomic<stretto_emulator_checks> &checks() {
  static std::atomic<stretto_emulator_checks> value = checksOfEnvironment();
  return value;
}

} // namespace

Settings settings() { return {seed(), checks()}; }

} // namespace stretto::emulator

extern "C" {
[[gnu::visibility("default")]] void stretto_emulator_set_seed(uint64_t seed) { stretto::emulator::seed() = seed; }
[[gnu::visibility("default")]] void stretto_emulator_set_checks(stretto_emulator_checks checks) {
  stretto::emulator::checks() = checks;
}
}
