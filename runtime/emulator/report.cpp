// How a violation ends the process.
#include "runtime/emulator/report.h"

#include "runtime/abi/emulator.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <unistd.h>

namespace stretto::emulator {
namespace {

constexpr int exitStatus = 70;

void print(const char *message) { std::fprintf(stderr, "emulator: %s\n", message); }

std::atomic<stretto_emulator_report_fn> hook = print;
std::mutex reporting; // never released

} // namespace

void report(const std::string &message) {
  reporting.lock();
  hook.load()(message.c_str());
  std::fflush(nullptr);
  _exit(exitStatus);
}

} // namespace stretto::emulator

extern "C" [[gnu::visibility("default")]] void stretto_emulator_set_report(stretto_emulator_report_fn report) {
  stretto::emulator::hook = report;
}
