// What is seen while runs go on.
#include "tools/demo/screen.h"

#include "runtime/core/colour.h"
#include "runtime/runs/text_plot.h"
#include "tools/demo/experiment.h"
#include "tools/support/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace stretto::tools {

// Of the terminal; 80 x 24 where it does not say.
static winsize terminalSize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    size = {};
  size.ws_col = size.ws_col ? size.ws_col : 80;
  size.ws_row = size.ws_row ? size.ws_row : 24;
  return size;
}

// Lines beside the rows of a plot: its title, its axis with the numbers below, a line per curve, and that of the
// cursor.
static int linesBeside(size_t curves) { return 4 + int(curves); }

static constexpr int fewestRows = 2;

Screen::Screen() : terminal(isatty(STDOUT_FILENO)) {
  const char *term = std::getenv("TERM");
  terminal = terminal && term && std::string(term) != "dumb" &&
             terminalSize().ws_row >= linesBeside(variants().size()) + fewestRows;
  colour = terminal && runtime::wantsColour(STDOUT_FILENO);
}

void Screen::begin(const std::string &newTitle, int64_t newSteps, std::vector<std::string> newLabels) {
  title = newTitle;
  steps = newSteps;
  labels = std::move(newLabels);
  printed.assign(labels.size(), 0);
  drawn = 0;
  if (!terminal)
    say("{}\n", title);
}

void Screen::show(std::span<const runtime::Run> runs) {
  terminal ? redraw(runs) : printNew(runs);
  std::fflush(stdout);
}

static std::string headline(std::span<const runtime::Run> runs) {
  for (const runtime::Run &run : runs)
    if (!run.scoreNames.empty())
      return run.scoreNames[0];
  return "";
}

void Screen::redraw(std::span<const runtime::Run> runs) {
  std::string score = headline(runs);
  runtime::TextPlot plot;
  plot.title = score.empty() ? title : fmt::format("{}: {}, %", title, score);
  plot.xMax = double(steps);
  plot.yMax = 100;
  const winsize size = terminalSize();
  plot.columns = std::clamp(int(size.ws_col) - 10, 20, 64);
  plot.rows = std::clamp(int(size.ws_row) - linesBeside(runs.size()), fewestRows, 10);
  plot.colour = colour;
  plot.unit = " %";
  std::vector<runtime::TextCurve> curves;
  for (size_t i = 0; i < runs.size(); ++i)
    curves.push_back({fmt::format("{}, step {}", labels[i], runs[i].lastStep()),
                      score.empty() ? std::vector<runtime::Point>() : runtime::curveOf(runs[i], score)});
  std::string text = runtime::drawText(plot, curves);
  if (drawn)
    say("\033[{}A\033[J", drawn);
  say("\033[?7l{}\033[?7h", text); // without wrapping: a line that is too long stays one line
  drawn = int(std::count(text.begin(), text.end(), '\n'));
}

void Screen::printNew(std::span<const runtime::Run> runs) {
  std::string score = headline(runs);
  if (score.empty())
    return;
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::vector<runtime::Point> &points = runtime::curveOf(runs[i], score);
    for (; printed[i] < points.size(); ++printed[i]) {
      const runtime::Point &point = points[printed[i]];
      say("  {:<14} step {:>5.0f} of {}   {} {:5.1f} %\n", labels[i], point.step, steps, score, point.value);
    }
  }
}

} // namespace stretto::tools
