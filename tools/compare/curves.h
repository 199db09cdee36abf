// Runs that are shown as one, and the curves and figures made from them.
#pragma once

#include "tools/compare/runs.h"

#include <span>

namespace stretto {

// One or more runs under one name, e.g. the seeds of one model.
struct Group {
  std::string label;
  std::vector<Run> runs;
};

// "label=folder,folder,..." or "folder", which is labelled by its last part. Throws Error.
Group readGroup(const std::string &argument);

// The curve of a run that a metric names: "loss", "eval_loss" or a score.
const std::vector<Point> &curveOf(const Run &run, const std::string &metric);

// Whether a metric is a loss (the others are percentages).
bool isLoss(const std::string &metric);

// "loss", "eval_loss" where a run has it, then all scores that occur, in the order of the first run that has them.
std::vector<std::string> metricsOf(std::span<const Group> groups);

// At most `most` points: neighbours are averaged.
std::vector<Point> thin(std::span<const Point> points, size_t most);

// The mean over the runs at each step that all of them have reported.
std::vector<Point> meanCurve(const Group &group, const std::string &metric);

// A figure of a group: one value per run that has it.
struct Figure {
  std::vector<double> values;
  double mean() const;
  double low() const;
  double high() const;
};

// The metric at the end of each run: a score as it was last evaluated; the loss as the mean over the last tenth of
// the run's steps, since single steps are noisy.
Figure finalFigure(const Group &group, const std::string &metric);

// Median of the speeds in tokens per second.
Figure speedFigure(const Group &group);

} // namespace stretto
