// Reading what a training run wrote about itself.
#pragma once

#include "runtime/core/error.h"
#include "runtime/runs/growing_lines.h"
#include "runtime/train/json.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stretto::runtime {

// A value at a training step.
struct Point {
  double step = 0, value = 0;
  double low = NAN, high = NAN; // the ends of its 95 % interval, where it has one
};

// What plots can show of a number: 0 for one of less than 1e-100, NAN for one of more than 1e100 or none.
double drawable(double value);

// A score in the order of its evaluations.
struct ScoreCurve {
  std::string unit; // "%": a share; else e.g. "nats", or "" for a plain number
  std::vector<Point> points;
};

// The curves of one run directory. Each line of metrics.jsonl is a JSON object with "step" and either "loss" and "lr"
// or "eval_loss" and "scores", {name: score, ..}. A score is [right, total], {"mean", "unit", "low", "high", "count"}
// or {"value", "unit"}. Lines of timing.jsonl have "step" and "tokens_per_second". Other keys are left alone, and
// values that are no numbers (infinities are written as text) or beyond 1e100 give no point. Shares are kept in percent
// with Wilson's interval; a score without instances gives no point.
class Run {
public:
  // Reads the file as far as it goes. Throws Error where it is missing, cannot be read or a line makes no sense.
  explicit Run(std::string folder);

  // Takes in what has been written since. The files may be missing. Steps that are written again (a run that went on
  // from a checkpoint) replace the earlier ones. Returns whether there was anything new.
  bool update();

  std::string folder;
  std::vector<Point> loss, evaluationLoss, learningRate, speed;
  std::vector<std::string> scoreNames; // in the order of the file, the headline first
  std::map<std::string, ScoreCurve> scores;

  // Of a score; "" for what is none.
  std::string unitOf(const std::string &score) const;

  // 0 before the first line.
  int64_t lastStep() const { return step; }

  // Whether the last loss, of a step that was not skipped or of an evaluation, or the norm of its gradients is no
  // number that can be drawn.
  bool isLost() const { return lossIsLost; }

  // A run whose file may not be there yet.
  static Run starting(std::string folder);

private:
  struct Absent {};
  Run(std::string folder, Absent);
  // Each returns what is wrong with the line, "" where nothing is.
  std::string readMetrics(const std::string &line);
  void readWhetherLost(const JsonValue &object);
  std::string readScore(const std::string &name, const JsonValue &score);
  std::string readTiming(const std::string &line);
  bool read(GrowingLines &file, std::string (Run::*readLine)(const std::string &));
  void forgetFrom(double step);

  GrowingLines metricsFile, timingFile;
  int64_t step = 0;
  bool lossIsLost = false;
};

} // namespace stretto::runtime
