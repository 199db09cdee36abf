// Curves as text, for terminals.
#pragma once

#include "runtime/runs/runs.h"

#include <span>

namespace stretto::runtime {

struct TextCurve {
  std::string label;
  std::vector<Point> points;
};

struct TextPlot {
  std::string title;
  double xMax = 1, yMin = 0, yMax = 1;
  int columns = 60, rows = 10; // of characters; each holds 2 x 4 dots
  bool colour = false;         // curves in colours; else a letter stands at the end of each
  std::string unit;            // behind the values, e.g. "%"
};

// A plot of Braille dots with an axis, and a line per curve with its label and last value.
std::string drawText(const TextPlot &plot, std::span<const TextCurve> curves);

} // namespace stretto::runtime
