// Runs that are shown as one, and the curves and figures made from them.
#include "runtime/runs/curves.h"

#include "runtime/runs/statistics.h"
#include "runtime/train/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace stretto::runtime {

RunGroup readGroup(const std::string &argument) {
  size_t equals = argument.find('=');
  RunGroup group;
  if (equals == std::string::npos || pathExists(argument)) {
    std::filesystem::path path = std::filesystem::path(argument + "/").lexically_normal().parent_path();
    group.label = path.filename().string();
    group.runs.emplace_back(argument);
    return group;
  }
  group.label = argument.substr(0, equals);
  for (size_t from = equals + 1; from <= argument.size();) {
    size_t comma = std::min(argument.find(',', from), argument.size());
    if (comma == from)
      throw Error("a group must look like label=folder,folder, but got '" + argument + "'");
    const std::string folder = argument.substr(from, comma - from);
    for (const Run &run : group.runs)
      if (std::error_code none; std::filesystem::equivalent(run.folder, folder, none))
        throw Error("the runs of group '" + group.label + "' must differ, but got '" + folder + "' again");
    group.runs.emplace_back(folder);
    from = comma + 1;
  }
  if (group.label.empty() || group.runs.empty())
    throw Error("a group must look like label=folder,folder, but got '" + argument + "'");
  return group;
}

const std::vector<Point> &curveOf(const Run &run, const std::string &metric) {
  static const std::vector<Point> none;
  if (metric == "loss")
    return run.loss;
  if (metric == "eval_loss")
    return run.evaluationLoss;
  auto found = run.scores.find(metric);
  return found == run.scores.end() ? none : found->second.points;
}

std::string valueText(const std::string &unit, double value) {
  return unit == "%" ? fmt::format("{:.1f} %", value) : fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

bool isLoss(const std::string &metric) { return metric == "loss" || metric == "eval_loss"; }

std::string unitOf(std::span<const RunGroup> groups, const std::string &metric) {
  const Run *first = nullptr;
  for (const RunGroup &group : groups)
    for (const Run &run : group.runs) {
      if (!run.scores.contains(metric))
        continue;
      if (first && first->unitOf(metric) != run.unitOf(metric))
        throw Error(fmt::format("score '{}' must have one unit in all runs, but has '{}' in '{}' and '{}' in '{}'",
                                metric, first->unitOf(metric), first->folder, run.unitOf(metric), run.folder));
      first = first ? first : &run;
    }
  return first ? first->unitOf(metric) : "";
}

bool lessIsBetter(const std::string &metric, const std::string &unit) { return isLoss(metric) || unit == "nats"; }

std::string headlineOf(std::span<const RunGroup> groups) {
  const std::vector<std::string> metrics = metricsOf(groups);
  for (const std::string &metric : metrics)
    if (!isLoss(metric))
      return metric;
  return metrics.back();
}

std::vector<std::string> metricsOf(std::span<const RunGroup> groups) {
  std::vector<std::string> metrics{"loss"};
  for (const RunGroup &group : groups)
    for (const Run &run : group.runs)
      if (!run.evaluationLoss.empty() && metrics.size() == 1)
        metrics.push_back("eval_loss");
  for (const RunGroup &group : groups)
    for (const Run &run : group.runs)
      for (const std::string &name : run.scoreNames)
        if (std::find(metrics.begin(), metrics.end(), name) == metrics.end())
          metrics.push_back(name);
  return metrics;
}

std::vector<Point> thin(std::span<const Point> points, size_t most) {
  size_t bin = (points.size() + most - 1) / most;
  if (bin <= 1)
    return {points.begin(), points.end()};
  std::vector<Point> result;
  for (size_t from = 0; from < points.size(); from += bin) {
    size_t to = std::min(from + bin, points.size());
    Point sum;
    for (size_t i = from; i < to; ++i) {
      sum.step += points[i].step;
      sum.value += points[i].value;
    }
    result.push_back({sum.step / double(to - from), sum.value / double(to - from)});
  }
  return result;
}

std::vector<Point> meanCurve(const RunGroup &group, const std::string &metric) {
  std::map<double, std::pair<size_t, double>> sums;
  for (const Run &run : group.runs)
    for (const Point &point : curveOf(run, metric)) {
      auto &[count, sum] = sums[point.step];
      ++count;
      sum += point.value;
    }
  std::vector<Point> mean;
  for (const auto &[step, entry] : sums)
    if (entry.first == group.runs.size())
      mean.push_back({step, entry.second / double(entry.first)});
  return mean;
}

double Figure::mean() const { return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size()); }
double Figure::low() const { return *std::min_element(values.begin(), values.end()); }
double Figure::high() const { return *std::max_element(values.begin(), values.end()); }

double Figure::half() const { return halfInterval(values); }

Figure finalFigure(const RunGroup &group, const std::string &metric) {
  Figure figure{{}, group.runs.size()};
  for (const Run &run : group.runs) {
    const std::vector<Point> &points = curveOf(run, metric);
    if (points.empty() || run.isLost())
      continue;
    if (metric != "loss") {
      figure.values.push_back(points.back().value);
      continue;
    }
    double from = 0.9 * points.back().step, sum = 0, count = 0;
    for (const Point &point : points)
      if (point.step > from) {
        sum += point.value;
        ++count;
      }
    figure.values.push_back(sum / count);
  }
  return figure;
}

bool isShown(std::span<const RunGroup> groups, const std::string &metric) {
  return std::ranges::any_of(groups, [&](const RunGroup &group) { return !finalFigure(group, metric).values.empty(); });
}

std::optional<Point> finalPoint(const RunGroup &group, const std::string &metric) {
  const Figure figure = finalFigure(group, metric);
  if (figure.values.empty())
    return std::nullopt;
  Point point{0, figure.mean()};
  if (figure.values.size() > 1) {
    point.low = point.value - figure.half();
    point.high = point.value + figure.half();
    return point;
  }
  for (const Run &run : group.runs)
    if (const std::vector<Point> &points = curveOf(run, metric); !isLoss(metric) && !points.empty())
      point = points.back();
  return point;
}

Figure speedFigure(const RunGroup &group) {
  Figure figure{{}, group.runs.size()};
  for (const Run &run : group.runs) {
    std::vector<double> speeds;
    for (const Point &point : run.speed)
      speeds.push_back(point.value);
    if (!speeds.empty())
      figure.values.push_back(median(std::move(speeds)));
  }
  return figure;
}

} // namespace stretto::runtime
