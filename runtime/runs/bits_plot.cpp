// Bits learned over parameters, a point for each run, as SVG.
#include "runtime/runs/facts.h"
#include "runtime/runs/frame.h"
#include "runtime/runs/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace stretto::runtime {

static constexpr const char *bitsUnit = "bits/parameter";
static constexpr std::string_view mostPrefix = "most_"; // of a score: the most that the one without it can be

namespace {
// A run: its size and the bits it has learned in all.
struct Capacity {
  size_t group = 0;
  double parameters = 0, bits = 0;
};
// A guide line: bits = perParameter * parameters.
struct Guide {
  double perParameter;
  const char *text;
};
} // namespace

static constexpr Guide guides[] = {{2, "2"}, {1, "1"}, {0.5, "0.5"}, {0.25, "0.25"}};

static std::vector<Capacity> capacitiesOf(std::span<const RunGroup> groups, const std::string &metric) {
  std::vector<Capacity> all;
  for (size_t g = 0; g < groups.size(); ++g)
    for (const Run &run : groups[g].runs) {
      const std::vector<Point> &points = curveOf(run, metric);
      const std::optional<int64_t> parameters = parameterCount(run.folder);
      if (parameters.value_or(0) > 0 && !points.empty() && points.back().value > 0)
        all.push_back({g, double(*parameters), double(*parameters) * points.back().value});
    }
  return all;
}

// Guide lines from side to side, each with its text at the right.
static std::string drawGuides(const Frame &frame) {
  const double from = frame.x.ticks.front().value, to = frame.x.ticks.back().value;
  std::string svg;
  for (const auto &[rate, text] : guides) {
    svg += fmt::format("<line class=\"guide\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       frame.atX(from), frame.atY(from * rate), frame.atX(to), frame.atY(to * rate));
    svg += fmt::format("<text class=\"quiet\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", frame.atX(to) + 4,
                       frame.atY(to * rate) + 4, text);
  }
  return svg;
}

static std::string drawCapacities(std::span<const Capacity> all, const Frame &frame) {
  std::string svg = drawGuides(frame);
  for (const Capacity &one : all)
    svg += drawMarker(one.group, frame.atX(one.parameters), frame.atY(one.bits));
  return svg;
}

Plot bitsPlot(std::span<const RunGroup> groups) {
  std::vector<Panel> panels;
  for (const std::string &metric : metricsOf(groups)) {
    if (unitOf(groups, metric) != bitsUnit || metric.starts_with(mostPrefix))
      continue;
    const std::vector<Capacity> all = capacitiesOf(groups, metric);
    std::set<double> sizes;
    double low = INFINITY, high = 0;
    for (const Capacity &one : all) {
      sizes.insert(one.parameters);
      low = std::min(low, one.bits);
      high = std::max(high, one.bits);
    }
    if (sizes.size() < 2)
      continue;
    // Wide and high enough that every guide line goes from the left side to the right one.
    const PlotAxis x = logarithmicAxis("parameters", *sizes.begin(), *sizes.rbegin());
    const PlotAxis y = logarithmicAxis("", std::min(low, guides[3].perParameter * x.ticks.front().value),
                                       std::max(high, guides[0].perParameter * x.ticks.back().value));
    Frame frame{metric + ": bits in all", x, y};
    panels.push_back({frame, [all](const Frame &at) { return drawCapacities(all, at); }});
  }
  if (panels.empty())
    return {};
  return {"bits",
          "Bits learned against the number of parameters, a mark per run; dashed: 2, 1, 0.5 and 0.25 bits per "
          "parameter.",
          drawFigure(groups, std::move(panels), true, "bits learned by models of several sizes")};
}

} // namespace stretto::runtime
