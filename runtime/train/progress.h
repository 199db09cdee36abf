// What the user sees while a run goes on: one redrawn line on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace stretto::runtime {

class AppendFile;

struct ProgressState {
  int64_t step = 0, steps = 0;
  double loss = 0, learningRate = 0, tokensPerSecond = 0;
  std::string score;               // the headline of the latest evaluation; empty: none yet
  std::optional<double> mfu;       // share of the measured peak
  std::optional<double> imbalance; // of the slowest rank over the median, where it is worth telling
  double etaSeconds = 0;
  int64_t resident = 0; // bytes of the process at the peak
};

// All of it in one line, e.g. "step 120/2000  loss 2.31  accuracy 41.2 %  lr 1.0e-3  ...".
std::string progressLine(const ProgressState &state);

class Progress {
public:
  // mode: "auto", "line" or "plain". Plain lines come every `logEvery` steps.
  Progress(const std::string &mode, bool quiet, int64_t logEvery);
  ~Progress();
  // From here on everything is also written to this file (not the redrawn line).
  void logTo(const std::string &path);
  void update(const ProgressState &state);
  void message(const std::string &text); // not shown if quiet
  void warning(const std::string &text);
  void finish(); // ends a redrawn line
  bool quiet() const { return silent; }

private:
  void clearLine();
  bool silent, redraw, colour, lineShown = false;
  int64_t logEvery;
  std::chrono::steady_clock::time_point lastDrawn{};
  std::unique_ptr<AppendFile> log;
};

} // namespace stretto::runtime
