// Panels with axes, as SVG that stands alone.
#include "runtime/runs/frame.h"

#include "runtime/runs/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stretto::runtime {

// In pixels.
static constexpr double panelWidth = 430, panelHeight = 270, left = 58, right = 30, top = 34, bottom = 50;
static constexpr double legendLine = 22, margin = 12, letterWidth = 7;

double PlotAxis::at(double value) const {
  const double low = ticks.front().value, high = ticks.back().value;
  if (low == high)
    return 0.5;
  return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double Frame::atX(double value) const {
  return left + stretto::runtime::left + (panelWidth - stretto::runtime::left - right) * x.at(value);
}
double Frame::atY(double value) const {
  return top + panelHeight - bottom - (panelHeight - stretto::runtime::top - bottom) * y.at(value);
}

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

std::string tickText(double value) {
  static constexpr std::pair<double, const char *> powers[] = {{1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
  for (const auto &[from, letter] : powers)
    if (std::abs(value) >= from)
      return fmt::format("{:.6g}{}", value / (from == 1e4 ? 1e3 : from), letter);
  return fmt::format("{:.6g}", value);
}

PlotAxis linearAxis(const std::string &title, double low, double high, int count, const std::string &unit) {
  PlotAxis axis{title, {}, false};
  for (double tick : unit == "%" ? std::vector<double>{0, 25, 50, 75, 100} : niceTicks(low, high, count))
    axis.ticks.push_back({tick, tickText(tick)});
  return axis;
}

PlotAxis logarithmicAxis(const std::string &title, double low, double high) {
  PlotAxis axis{title, {}, true};
  const int first = int(std::floor(std::log10(low) + 1e-9)), last = int(std::ceil(std::log10(high) - 1e-9));
  const bool few = high / low <= 300;
  for (int power = first; power <= last; ++power)
    for (double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (value <= low * (1 + 1e-9))
        axis.ticks.clear(); // the one before lies lower than need be
      const bool ended = axis.ticks.size() > 1 && axis.ticks.back().value >= high * (1 - 1e-9);
      if (!ended)
        axis.ticks.push_back({value, few || factor == 1 ? tickText(value) : ""});
    }
  if (axis.ticks.size() == 1)
    axis.ticks.push_back({axis.ticks[0].value * 10, tickText(axis.ticks[0].value * 10)});
  const double front = axis.ticks.front().value, back = axis.ticks.back().value;
  std::erase_if(axis.ticks, [&](const PlotAxis::Tick &tick) {
    return tick.text.empty() && tick.value != front && tick.value != back;
  });
  return axis;
}

static const char *style() {
  // The palette keeps its order for the colour-blind; both modes have a contrast of at least 3:1.
  return R"(<style>
  .surface { fill: #fcfcfb } .ink { fill: #0b0b0b } .quiet { fill: #5f5e5a }
  .grid { stroke: #e3e2dd } .axis { stroke: #9a9993 } .guide { stroke: #9a9993; stroke-dasharray: 4 4 }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif } .title { font-weight: 600; font-size: 13px }
  .line { fill: none; stroke-linejoin: round; stroke-linecap: round } .dot { stroke-width: 2 }
  .c0 { stroke: #2a78d6 } .c1 { stroke: #d9602b } .c2 { stroke: #138a6e } .c3 { stroke: #b0569b }
  .c4 { stroke: #9a7b00 } .c5 { stroke: #6a5acd } .dot { fill: #fcfcfb }
  @media (prefers-color-scheme: dark) {
    .surface { fill: #1a1a19 } .ink { fill: #f4f3ef } .quiet { fill: #b4b2a9 } .dot { fill: #1a1a19 }
    .grid { stroke: #33332f } .axis { stroke: #73726c } .guide { stroke: #73726c }
    .c0 { stroke: #5b9df0 } .c1 { stroke: #f08458 } .c2 { stroke: #35b792 } .c3 { stroke: #d684c2 }
    .c4 { stroke: #cfae3a } .c5 { stroke: #a195f0 }
  }
</style>
)";
}

static constexpr size_t colours = 6;

std::string groupClass(size_t group) { return fmt::format("c{}", group % colours); }

std::string groupDashes(size_t group) {
  static constexpr const char *dashes[] = {"", "stroke-dasharray=\"7 4\"", "stroke-dasharray=\"2 4\"",
                                           "stroke-dasharray=\"9 3 2 3\""};
  return dashes[group / colours % std::size(dashes)];
}

std::string drawLine(const Frame &frame, std::span<const Point> points, const std::string &classes,
                     const std::string &attributes) {
  if (points.empty())
    return "";
  std::string path;
  for (const Point &point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.atX(point.step), frame.atY(point.value));
  if (points.size() == 1)
    path += "h0.1";
  return fmt::format("<path class=\"line {}\" {} d=\"{}\"/>\n", classes, attributes, path);
}

static std::string drawText(double x, double y, const char *classes, const char *anchor, const std::string &text) {
  return fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", classes, anchor, x,
                     y, escapeXml(text));
}

static std::string drawAxes(const Frame &frame) {
  const double x0 = frame.left + left, x1 = frame.left + panelWidth - right, base = frame.top + panelHeight - bottom;
  std::string svg = drawText(x0, frame.top + 18, "ink title", "start", frame.title);
  for (const PlotAxis::Tick &tick : frame.y.ticks) {
    const double y = frame.atY(tick.value);
    svg +=
        fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x0, x1, y, y);
    svg += drawText(x0 - 6, y + 4, "quiet", "end", tick.text);
  }
  svg += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x0, x1, base,
                     base);
  double end = -1e9; // of the tick drawn last: those that would run into it are left out
  for (const PlotAxis::Tick &tick : frame.x.ticks) {
    const double x = frame.atX(tick.value), half = letterWidth * double(tick.text.size()) / 2;
    if (tick.text.empty() || x - half < end + 4)
      continue;
    svg += drawText(x, base + 17, "quiet", "middle", tick.text);
    end = x + half;
  }
  return svg + drawText((x0 + x1) / 2, base + 36, "quiet", "middle", frame.x.title);
}

static std::string legendText(const RunGroup &group) {
  std::string text = group.label;
  for (const auto &[name, value] : group.choices)
    text += ", " + name + " " + value;
  return group.runs.size() > 1 ? fmt::format("{} (mean of {} runs)", text, group.runs.size()) : text;
}

std::string drawMarker(size_t group, double x, double y) {
  static constexpr const char *shapes[] = {"m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
                                           "m-3.4 -3.4h6.8v6.8h-6.8z", "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
                                           "m0 -4.4l4.4 7.6h-8.8z"};
  return fmt::format("<path class=\"dot {}\" d=\"M{:.1f} {:.1f}{}\"/>\n", groupClass(group), x, y,
                     shapes[group / colours % std::size(shapes)]);
}

static std::string drawLegend(std::span<const RunGroup> groups, double y, bool markers) {
  std::string svg;
  for (size_t g = 0; g < groups.size(); ++g, y += legendLine) {
    svg += fmt::format(
        "<line class=\"line {}\" stroke-width=\"3\" {} x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
        groupClass(g), groupDashes(g), left, left + 32, y, y);
    if (markers)
      svg += drawMarker(g, left + 16, y);
    svg += drawText(left + 40, y + 4, "ink", "start", legendText(groups[g]));
  }
  return svg;
}

std::string drawFigure(std::span<const RunGroup> groups, std::vector<Panel> panels, bool markers,
                       const std::string &about) {
  const size_t columns = std::min<size_t>(2, panels.size()), rows = (panels.size() + columns - 1) / columns;
  const double legend = legendLine * double(groups.size()) + margin;
  double width = panelWidth * double(columns);
  for (const RunGroup &group : groups)
    width = std::max(width, left + 40 + letterWidth * double(legendText(group).size()) + margin);
  const double height = legend + panelHeight * double(rows);
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n",
                                width, height, escapeXml(about));
  svg += style();
  svg += "<rect class=\"surface\" width=\"100%\" height=\"100%\"/>\n";
  svg += drawLegend(groups, margin + 8, markers);
  for (size_t i = 0; i < panels.size(); ++i) {
    panels[i].frame.left = panelWidth * double(i % columns);
    panels[i].frame.top = legend + panelHeight * double(i / columns);
    svg += drawAxes(panels[i].frame) + panels[i].draw(panels[i].frame);
  }
  return svg + "</svg>\n";
}

} // namespace stretto::runtime
