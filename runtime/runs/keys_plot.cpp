// Scores over the values of a key, as SVG.
#include "runtime/runs/frame.h"
#include "runtime/runs/plots.h"

#include <fmt/format.h>

#include <algorithm>

namespace stretto::runtime {

// The largest gap over the smallest; 1 is even.
static double unevenness(std::span<const double> values) {
  double least = INFINITY, most = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    least = std::min(least, values[i] - values[i - 1]);
    most = std::max(most, values[i] - values[i - 1]);
  }
  return most / least;
}

bool spreadsGeometrically(std::span<const double> values) {
  std::vector<double> logarithms;
  for (double value : values) {
    if (value <= 0)
      return false;
    logarithms.push_back(std::log(value));
  }
  return values.size() > 2 && unevenness(logarithms) < unevenness(values);
}

// The members' values as ticks, with room to both sides.
static PlotAxis keyAxis(const Family &family) {
  std::vector<double> values;
  for (const FamilyMember &member : family.members)
    values.push_back(member.value);
  PlotAxis axis{family.key, {}, spreadsGeometrically(values)};
  const double range = values.back() - values.front(), ratio = std::pow(values.back() / values.front(), 0.06);
  const bool log = axis.logarithmic;
  axis.ticks.push_back({log ? values.front() / ratio : values.front() - 0.06 * range, ""});
  for (const FamilyMember &member : family.members)
    axis.ticks.push_back({member.value, tickText(member.value) + (member.andMore ? "+" : "")});
  axis.ticks.push_back({log ? values.back() * ratio : values.back() + 0.06 * range, ""});
  return axis;
}

static std::string drawBar(double x, double low, double high, size_t group) {
  return fmt::format("<path class=\"line {}\" stroke-width=\"1.4\" d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}h6M{:.1f} "
                     "{:.1f}h6\"/>\n",
                     groupClass(group), x, low, high, x - 3, low, x - 3, high);
}

static std::string drawMembers(std::span<const RunGroup> groups, const Family &family, const Frame &frame) {
  std::string svg;
  // Groups stand a little beside each other, lest their bars cover one another.
  const double beside = std::min(5.0, 24.0 / double(groups.size()));
  for (size_t g = 0; g < groups.size(); ++g) {
    const double shift = (double(g) - double(groups.size() - 1) / 2) * beside;
    std::string path, marks;
    for (const FamilyMember &member : family.members) {
      const std::optional<Point> point = finalPoint(groups[g], member.metric);
      if (!point)
        continue;
      const double x = frame.atX(member.value) + shift, y = frame.atY(point->value);
      const double lowest = frame.y.ticks.front().value, highest = frame.y.ticks.back().value;
      if (!std::isnan(point->low) && !std::isnan(point->high))
        marks += drawBar(x, frame.atY(std::clamp(point->low, lowest, highest)),
                         frame.atY(std::clamp(point->high, lowest, highest)), g);
      marks += drawMarker(g, x, y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    }
    if (!path.empty())
      svg += fmt::format("<path class=\"line {}\" stroke-width=\"2\" {} d=\"{}\"/>\n", groupClass(g), groupDashes(g),
                         path) +
             marks;
  }
  return svg;
}

static Panel keysPanel(std::span<const RunGroup> groups, const Family &family) {
  const std::string unit = unitOf(groups, family.members[0].metric);
  double low = 0, high = 0;
  for (const RunGroup &group : groups)
    for (const FamilyMember &member : family.members)
      if (const std::optional<Point> point = finalPoint(group, member.metric)) {
        low = std::min(low, std::isnan(point->low) ? point->value : point->low);
        high = std::max(high, std::isnan(point->high) ? point->value : point->high);
      }
  const std::string title =
      family.title() + (unit.empty() ? "" : ", " + unit) + (lessIsBetter(family.base, unit) ? " (less is better)" : "");
  Frame frame{title, keyAxis(family), linearAxis("", low, high, 5, unit)};
  return {frame, [groups, family](const Frame &at) { return drawMembers(groups, family, at); }};
}

Plot keysPlot(std::span<const RunGroup> groups, std::span<const Family> families) {
  std::vector<Panel> panels;
  for (const Family &family : families)
    panels.push_back(keysPanel(groups, family));
  return {"keys",
          "Scores at the last evaluation. Bars are 95 % intervals: of several runs that of their mean (Student's t), "
          "of one "
          "run that of its evaluation; cut at the ends of the axis.",
          drawFigure(groups, std::move(panels), true, "scores by a key")};
}

} // namespace stretto::runtime
