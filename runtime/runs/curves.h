// Runs that are shown as one, and the curves and figures made from them.
#pragma once

#include "runtime/runs/runs.h"

#include <optional>
#include <span>

namespace stretto::runtime {

// One or more runs under one name, e.g. the seeds of one model.
struct RunGroup {
  std::string label;
  std::vector<Run> runs;
  std::vector<std::pair<std::string, std::string>> choices{}; // columns of the table: which settings were chosen for it
};

// "label=folder,folder,..." or "folder", which is labelled by its last part; what exists is a folder. Throws Error.
RunGroup readGroup(const std::string &argument);

// The curve of a run that a metric names: "loss", "eval_loss" or a score.
const std::vector<Point> &curveOf(const Run &run, const std::string &metric);

// A value with its unit: "79.5 %", "0.1234 nats".
std::string valueText(const std::string &unit, double value);

bool isLoss(const std::string &metric);

// The unit of a metric: "%" for shares, "" for losses and plain numbers. Throws Error where runs do not agree.
std::string unitOf(std::span<const RunGroup> groups, const std::string &metric);

// Losses and what is measured in nats (negative log-likelihoods, divergences) are the better the smaller they are.
bool lessIsBetter(const std::string &metric, const std::string &unit);

// The metric that decides which of two settings is better: the first score; without scores the held-out loss, else the
// training loss.
std::string headlineOf(std::span<const RunGroup> groups);

// "loss", "eval_loss" where a run has it, then all scores that occur, in the order of the first run that has them.
std::vector<std::string> metricsOf(std::span<const RunGroup> groups);

// At most `most` points: neighbours are averaged.
std::vector<Point> thin(std::span<const Point> points, size_t most);

// The mean over the runs at each step that all of them have reported.
std::vector<Point> meanCurve(const RunGroup &group, const std::string &metric);

// A figure of a group: one value per run that has it.
struct Figure {
  std::vector<double> values;
  size_t runs = 0; // of the group
  double mean() const;
  double low() const;
  double high() const;
  double half() const; // of the 95 % confidence interval of the mean; NAN for one value
};

// The metric at the end of each run: a score as it was last evaluated; the loss as the mean over the last tenth of
// the run's steps, since single steps are noisy. A run that is lost has none.
Figure finalFigure(const RunGroup &group, const std::string &metric);

// Whether a group has a figure of the metric.
bool isShown(std::span<const RunGroup> groups, const std::string &metric);

// The mean at the end with a 95 % interval: of several runs that of their mean, of one that of its evaluation (NAN
// where it has none). Nothing where no run has the metric.
std::optional<Point> finalPoint(const RunGroup &group, const std::string &metric);

// Median of the speeds in tokens per second.
Figure speedFigure(const RunGroup &group);

} // namespace stretto::runtime
