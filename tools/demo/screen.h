// What is seen while runs go on.
#pragma once

#include "runtime/runs/curves.h"

namespace stretto::tools {

// On a terminal: one plot that is redrawn, a curve per run. Elsewhere: a line per evaluation.
class Screen {
public:
  Screen();

  // A new pair of runs begins.
  void begin(const std::string &title, int64_t steps, std::vector<std::string> labels);

  // Shows the headline score of the runs, in the order of the labels.
  void show(std::span<const runtime::Run> runs);

private:
  void redraw(std::span<const runtime::Run> runs);
  void printNew(std::span<const runtime::Run> runs);

  bool terminal, colour;
  std::string title;
  int64_t steps = 0;
  std::vector<std::string> labels;
  std::vector<size_t> printed; // evaluations of each run that have been printed
  int drawn = 0;               // lines of the plot on the terminal
};

} // namespace stretto::tools
