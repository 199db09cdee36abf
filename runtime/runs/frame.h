// Panels with axes, as SVG that stands alone: no script, no font, no other file; light or dark as the reader's system
// is.
#pragma once

#include "runtime/runs/curves.h"

#include <functional>

namespace stretto::runtime {

// A direction of a panel: where values lie between its first and its last tick.
struct PlotAxis {
  struct Tick {
    double value = 0;
    std::string text;
  };
  std::string title;
  std::vector<Tick> ticks; // at least two, ascending
  bool logarithmic = false;

  // 0 at the first tick, 1 at the last.
  double at(double value) const;
};

// Round ticks over low .. high, about `count` of them; with a unit "%" always 0 to 100.
PlotAxis linearAxis(const std::string &title, double low, double high, int count = 5, const std::string &unit = "");

// From 1, 2 or 5 times a power of ten to another such number, logarithmic; low > 0. Over many powers of ten only they
// are ticks.
PlotAxis logarithmicAxis(const std::string &title, double low, double high);

// Round numbers that divide low .. high into about `count` parts; the first is at most low, the last at least high.
std::vector<double> niceTicks(double low, double high, int count);

// A number as a tick says it: "0.05", "200", "1.5M".
std::string tickText(double value);

// A panel's place in the figure, and its axes.
struct Frame {
  std::string title;
  PlotAxis x, y;
  double left = 0, top = 0; // corner of the panel in the figure, in pixels

  double atX(double value) const;
  double atY(double value) const;
};

struct Panel {
  Frame frame;
  std::function<std::string(const Frame &)> draw; // what lies between the axes
};

// A line through points (x: step).
std::string drawLine(const Frame &frame, std::span<const Point> points, const std::string &classes,
                     const std::string &attributes);

// Classes and attributes that tell a group's lines from those of others: six colours, then dashes.
std::string groupClass(size_t group);
std::string groupDashes(size_t group);

// A point in pixels; six groups each have a shape of their own.
std::string drawMarker(size_t group, double x, double y);

// Panels in two columns below a legend of the groups, whose points have markers or not. `about` is what the figure
// shows, for those who cannot see it.
std::string drawFigure(std::span<const RunGroup> groups, std::vector<Panel> panels, bool markers,
                       const std::string &about);

} // namespace stretto::runtime
