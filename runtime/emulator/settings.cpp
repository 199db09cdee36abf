// What the environment (or a test) asks of the emulator.
#include "runtime/emulator/settings.h"

#include "runtime/emulator/report.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace stretto::emulator {
namespace {

uint64_t seedOfEnvironment() {
  const char *text = std::getenv("STRETTO_EMULATOR_SEED");
  if (!text)
    return 0;
  uint64_t seed = 0;
  const char *const end = text + std::strlen(text);
  if (const auto [stop, error] = std::from_chars(text, end, seed); error != std::errc() || stop != end)
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
