// metrics.jsonl: one JSON object per line, a function of the run's inputs alone (no times), so that two
// runs can be compared byte by byte. Times go to timing.jsonl, and both to TensorBoard events.
#pragma once

#include "runtime/core/descriptor.h"
#include "runtime/train/task.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stretto::runtime {

struct StepMetrics {
  int64_t step = 0; // 1 for the first
  double loss = 0, gradNorm = 0, learningRate = 0;
  int64_t tokens = 0;   // seen since the start of the run
  bool skipped = false; // the step left the weights as they were
};

// The checkpoint that a run's first weights are of.
struct WeightsOrigin {
  int64_t step = 0;
  std::vector<int64_t> passedOver; // newer ones that were not used
  friend bool operator==(const WeightsOrigin &, const WeightsOrigin &) = default;
};

std::string writeOrigin(const WeightsOrigin &origin); // as JSON
// Throws Error for what writeOrigin does not write.
WeightsOrigin readOrigin(std::string_view text);

struct EvaluationMetrics {
  int64_t step = 0;
  std::optional<double> loss; // mean negative log-likelihood over the counted targets; nothing where there are none
  std::vector<Score> scores;
  std::optional<WeightsOrigin> weights; // where it is to be told
};

std::string metricsLine(const StepMetrics &metrics);
std::string metricsLine(const EvaluationMetrics &metrics);

// What TensorBoard shows of an evaluation: shares in percent, as scores with that unit are.
std::vector<std::pair<std::string, double>> scalarsOf(const EvaluationMetrics &metrics);

// A file that grows by whole pieces; each is written at once. Throws Error when the disk refuses.
class AppendFile {
public:
  // A symbolic link is refused unless `followLinks`: paths inside a run directory never follow one.
  explicit AppendFile(const std::string &path, bool followLinks = false);
  void append(std::string_view text);
  void sync();

private:
  std::string path;
  Descriptor descriptor;
};

// Drops the lines of steps after `step`, and all from the first one on that is none of metricsLine. Returns whether
// each step up to it has a line; no file has none.
bool truncateLines(const std::string &path, int64_t step);

// The step of the last whole line; 0 where there is none, or no file.
int64_t lastStepOf(const std::string &path);

// What the names of event files begin with; the time and the host at which one was started follow.
inline constexpr std::string_view eventFilePrefix = "events.out.tfevents.";

// A TensorBoard event file (records of protobuf Event messages with masked CRC-32C).
class EventFile {
public:
  // Goes on with the event file of the folder, or starts one. Events after `step` are dropped.
  EventFile(const std::string &folder, int64_t step);
  void scalars(int64_t step, const std::vector<std::pair<std::string, double>> &values);

private:
  AppendFile file;
};

uint32_t crc32c(std::string_view data);

} // namespace stretto::runtime
