// What the user sees while a run goes on: one redrawn line on a terminal, plain lines elsewhere.
#include "runtime/train/progress.h"

#include "runtime/core/colour.h"
#include "runtime/core/duration.h"
#include "runtime/train/memory.h"
#include "runtime/train/metrics.h"

#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

size_t terminalWidth() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A terminal or a reader that has gone is no reason to lose a run: what nobody reads is not written.
void show(std::FILE *stream, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

} // namespace

std::string progressLine(const ProgressState &state) {
  std::string line = fmt::format("step {}/{}  loss {:.4f}", state.step, state.steps, state.loss);
  if (!state.score.empty())
    line += "  " + state.score;
  line += fmt::format("  lr {:.2e}  {:.0f} tok/s", state.learningRate, state.tokensPerSecond);
  if (state.mfu)
    line += fmt::format("  MFU {:.1f} %", *state.mfu * 100);
  if (state.imbalance)
    line += fmt::format("  imbalance {:.0f} %", *state.imbalance * 100);
  return line + fmt::format("  ETA {}  {} resident", formatDuration(state.etaSeconds), formatBytes(state.resident));
}

Progress::Progress(const std::string &mode, bool quiet, int64_t logEvery)
    : silent(quiet), redraw(mode == "line" || (mode == "auto" && isatty(STDOUT_FILENO))),
      colour(wantsColour(STDERR_FILENO)), logEvery(logEvery) {}

Progress::~Progress() { finish(); }

void Progress::logTo(const std::string &path) { log = std::make_unique<AppendFile>(path); }

void Progress::clearLine() {
  if (std::exchange(lineShown, false))
    show(stdout, "\r\033[K");
}

void Progress::update(const ProgressState &state) {
  const bool due = state.step % logEvery == 0 || state.step == 1 || state.step == state.steps;
  const std::string line = progressLine(state);
  if (log && due)
    log->append(line + "\n");
  if (silent)
    return;
  if (!redraw) {
    if (due)
      show(stdout, line + "\n");
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - lastDrawn < std::chrono::milliseconds(100) && state.step != state.steps)
    return;
  lastDrawn = now;
  show(stdout, "\r\033[K" + line.substr(0, terminalWidth() - 1));
  lineShown = true;
}

void Progress::message(const std::string &text) {
  if (log)
    log->append(text + "\n");
  if (silent)
    return;
  clearLine();
  show(stdout, text + "\n");
}

void Progress::warning(const std::string &text) {
  clearLine();
  show(stderr, fmt::format("{} {}\n", colour ? "\033[33mwarning:\033[0m" : "warning:", text));
  if (log) // behind what is shown: it may be on the disk that the warning is about
    log->append("warning: " + text + "\n");
}

void Progress::finish() {
  if (std::exchange(lineShown, false))
    show(stdout, "\n");
}

} // namespace stretto::runtime
