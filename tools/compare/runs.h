// Reading what a training run wrote about itself.
#pragma once

#include "runtime/core/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stretto {

// A value at a training step.
struct Point {
  double step = 0, value = 0;
};

// The curves of one run, from <folder>/metrics.jsonl: one JSON object per line with "step" and any of "loss", "lr",
// "tokens_per_second" (numbers; null: none) and "evaluation": {score: {"right": .., "total": ..}, ..}. Other keys are
// left alone. Scores are kept as percentages; a score without answers gives no point.
class Run {
public:
  // Reads the file as far as it goes. Throws Error where it is missing or a line makes no sense.
  explicit Run(std::string folder);

  // Takes in what has been written since; a line that is not yet complete waits for the next time. The file may be
  // missing. Steps that are written again (a run that went on from a checkpoint) replace the earlier ones.
  // Returns whether there was anything new.
  bool update();

  std::string folder;
  std::vector<Point> loss, learningRate, speed;
  std::vector<std::string> scoreNames; // in the order of the file, the headline first
  std::map<std::string, std::vector<Point>> scores;

  // 0 before the first line.
  int64_t lastStep() const { return step; }

  // A run whose file may not be there yet.
  static Run starting(std::string folder);

private:
  Run() = default;
  void readLine(const std::string &line);
  void forgetFrom(double step);
  [[noreturn]] void fail(const std::string &what) const;

  int64_t step = 0, lineNumber = 0, offset = 0;
};

} // namespace stretto
