#include "tools/compare/svg_plot.h"

#include "tools/compare/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stretto {

namespace {
// In pixels.
constexpr double panelWidth = 420, panelHeight = 250, left = 52, right = 16, top = 34, bottom = 34;
constexpr double legendLine = 22, margin = 12;

struct Panel {
  std::string metric;
  double x = 0, y = 0; // corner
  double xMax = 1;
  std::vector<double> xTicks, yTicks;

  double atX(double step) const { return x + left + (panelWidth - left - right) * step / xTicks.back(); }
  double atY(double value) const {
    double low = yTicks.front(), high = yTicks.back();
    return y + panelHeight - bottom - (panelHeight - top - bottom) * (value - low) / (high - low);
  }
};
} // namespace

std::vector<double> niceTicks(double low, double high, int count) {
  if (!(high > low))
    high = low + 1;
  double raw = (high - low) / count, power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * (1 + 1e-9)) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  for (int64_t i = int64_t(std::floor(low / step + 1e-9)); ticks.empty() || ticks.back() < high - 1e-9 * step; ++i)
    ticks.push_back(double(i) * step);
  return ticks;
}

static const char *style() {
  // The palette keeps its order for the colour-blind; both modes have a contrast of at least 3:1.
  return R"(<style>
  .surface { fill: #fcfcfb } .ink { fill: #0b0b0b } .quiet { fill: #5f5e5a }
  .grid { stroke: #e3e2dd } .axis { stroke: #9a9993 }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif } .title { font-weight: 600; font-size: 13px }
  .line { fill: none; stroke-linejoin: round; stroke-linecap: round }
  .c0 { stroke: #2a78d6 } .c1 { stroke: #d9602b } .c2 { stroke: #138a6e } .c3 { stroke: #b0569b }
  .c4 { stroke: #9a7b00 } .c5 { stroke: #6a5acd }
  @media (prefers-color-scheme: dark) {
    .surface { fill: #1a1a19 } .ink { fill: #f4f3ef } .quiet { fill: #b4b2a9 }
    .grid { stroke: #33332f } .axis { stroke: #73726c }
    .c0 { stroke: #5b9df0 } .c1 { stroke: #f08458 } .c2 { stroke: #35b792 } .c3 { stroke: #d684c2 }
    .c4 { stroke: #cfae3a } .c5 { stroke: #a195f0 }
  }
</style>
)";
}

static std::string colourClass(size_t group) { return fmt::format("c{}", group % 6); }

static Panel makePanel(std::span<const Group> groups, const std::string &metric) {
  Panel panel;
  panel.metric = metric;
  double high = 0, low = 0;
  for (const Group &group : groups)
    for (const Run &run : group.runs) {
      panel.xMax = std::max(panel.xMax, double(run.lastStep()));
      for (const Point &point : thin(curveOf(run, metric), 300)) {
        high = std::max(high, point.value);
        low = std::min(low, point.value);
      }
    }
  panel.xTicks = niceTicks(0, panel.xMax, 5);
  panel.yTicks = isLoss(metric) ? niceTicks(low, high, 5) : std::vector<double>{0, 25, 50, 75, 100};
  return panel;
}

static std::string drawAxes(const Panel &panel) {
  std::string title = panel.metric == "loss"        ? "training loss"
                      : panel.metric == "eval_loss" ? "held-out loss"
                                                    : panel.metric + ", %";
  std::string svg = fmt::format("<text class=\"ink title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", panel.x + left,
                                panel.y + 18, escapeXml(title));
  double x0 = panel.atX(0), x1 = panel.atX(panel.xTicks.back());
  for (double tick : panel.yTicks) {
    double y = panel.atY(tick);
    svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x0, x1, y, y);
    svg += fmt::format("<text class=\"quiet\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n", x0 - 6,
                       y + 4, tick);
  }
  double base = panel.atY(panel.yTicks.front());
  svg += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x0, x1, base, base);
  for (double tick : panel.xTicks)
    svg += fmt::format("<text class=\"quiet\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}{:.6g}</text>\n",
                       panel.atX(tick), base + 18, tick == 0 ? "step " : "", tick);
  return svg;
}

static std::string drawLine(const Panel &panel, std::span<const Point> points, const std::string &classes,
                            const std::string &attributes) {
  if (points.empty())
    return "";
  std::string path;
  for (const Point &point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", panel.atX(point.step), panel.atY(point.value));
  if (points.size() == 1)
    path += "h0.1";
  return fmt::format("<path class=\"line {}\" {} d=\"{}\"/>\n", classes, attributes, path);
}

static std::string drawPanel(std::span<const Group> groups, const Panel &panel) {
  std::string svg = drawAxes(panel);
  for (size_t g = 0; g < groups.size(); ++g) {
    bool several = groups[g].runs.size() > 1;
    for (const Run &run : groups[g].runs)
      svg += drawLine(panel, thin(curveOf(run, panel.metric), 300), colourClass(g),
                      several ? "stroke-width=\"1\" opacity=\"0.4\"" : "stroke-width=\"2\"");
    if (several)
      svg += drawLine(panel, thin(meanCurve(groups[g], panel.metric), 300), colourClass(g), "stroke-width=\"2.4\"");
  }
  return svg;
}

static std::string drawLegend(std::span<const Group> groups, double y) {
  std::string svg;
  for (size_t g = 0; g < groups.size(); ++g, y += legendLine) {
    std::string runs = groups[g].runs.size() > 1 ? fmt::format(" (mean of {} runs)", groups[g].runs.size()) : "";
    svg += fmt::format("<line class=\"line {}\" stroke-width=\"3\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       colourClass(g), left, left + 24, y, y);
    svg += fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + 32, y + 4,
                       escapeXml(groups[g].label + runs));
  }
  return svg;
}

std::string svgPlot(std::span<const Group> groups) {
  std::vector<std::string> metrics = metricsOf(groups);
  size_t columns = std::min<size_t>(2, metrics.size()), rows = (metrics.size() + columns - 1) / columns;
  double legend = legendLine * double(groups.size()) + margin;
  double width = panelWidth * double(columns), height = legend + panelHeight * double(rows);
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"training curves\">\n",
                                width, height);
  svg += style();
  svg += "<rect class=\"surface\" width=\"100%\" height=\"100%\"/>\n";
  svg += drawLegend(groups, margin + 8);
  for (size_t i = 0; i < metrics.size(); ++i) {
    Panel panel = makePanel(groups, metrics[i]);
    panel.x = panelWidth * double(i % columns);
    panel.y = legend + panelHeight * double(i / columns);
    svg += drawPanel(groups, panel);
  }
  return svg + "</svg>\n";
}

} // namespace stretto
