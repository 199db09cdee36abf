// Curves over tokens, as SVG.
#include "runtime/runs/frame.h"
#include "runtime/runs/plots.h"

#include <fmt/format.h>

#include <algorithm>

namespace stretto::runtime {

static constexpr size_t mostPoints = 300;

static std::string drawCurves(std::span<const RunGroup> groups, const std::string &metric, const Frame &frame) {
  std::string svg;
  for (size_t g = 0; g < groups.size(); ++g) {
    const bool several = groups[g].runs.size() > 1;
    for (const Run &run : groups[g].runs)
      svg += drawLine(frame, thin(curveOf(run, metric), mostPoints), groupClass(g),
                      (several ? "stroke-width=\"1\" opacity=\"0.4\" " : "stroke-width=\"2\" ") + groupDashes(g));
    if (several)
      svg += drawLine(frame, thin(meanCurve(groups[g], metric), mostPoints), groupClass(g),
                      "stroke-width=\"2.4\" " + groupDashes(g));
  }
  return svg;
}

static std::string titleOf(const std::string &metric, const std::string &unit) {
  if (isLoss(metric))
    return metric == "loss" ? "training loss" : "held-out loss";
  return metric + (unit.empty() ? "" : ", " + unit) + (lessIsBetter(metric, unit) ? " (less is better)" : "");
}

static Panel curvesPanel(std::span<const RunGroup> groups, const std::string &metric) {
  double high = 0, low = 0, last = 1;
  for (const RunGroup &group : groups)
    for (const Run &run : group.runs) {
      last = std::max(last, double(run.lastStep()));
      for (const Point &point : thin(curveOf(run, metric), mostPoints)) {
        high = std::max(high, point.value);
        low = std::min(low, point.value);
      }
    }
  const std::string unit = unitOf(groups, metric);
  Frame frame{titleOf(metric, unit), linearAxis("step", 0, last), linearAxis("", low, high, 5, unit)};
  return {frame, [groups, metric](const Frame &at) { return drawCurves(groups, metric, at); }};
}

Plot curvesPlot(std::span<const RunGroup> groups) {
  std::vector<Panel> panels;
  for (const std::string &metric : metricsOf(groups))
    panels.push_back(curvesPanel(groups, metric));
  const bool several = std::ranges::any_of(groups, [](const RunGroup &group) { return group.runs.size() > 1; });
  return {"", several ? "Learning curves; thin lines are runs, thick ones their mean." : "Learning curves.",
          drawFigure(groups, std::move(panels), false, "learning curves")};
}

std::vector<Plot> plotsOf(std::span<const RunGroup> groups) {
  std::vector<Plot> plots{curvesPlot(groups)};
  if (const std::vector<Family> families = familiesOf(groups); !families.empty())
    plots.push_back(keysPlot(groups, families));
  if (Plot bits = bitsPlot(groups); !bits.svg.empty())
    plots.push_back(std::move(bits));
  return plots;
}

} // namespace stretto::runtime
