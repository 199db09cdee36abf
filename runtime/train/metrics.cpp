// metrics.jsonl.
#include "runtime/train/metrics.h"

#include "runtime/core/error.h"
#include "runtime/train/files.h"
#include "runtime/train/json.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

constexpr uint64_t maxLogBytes = 4ull << 30;

// The step of a line written by metricsLine, or -1.
int64_t stepOf(std::string_view line) {
  try {
    const JsonValue value = parseJson(line, 8);
    const JsonValue *step = value.find("step");
    return step && step->kind == JsonValue::Kind::Unsigned ? static_cast<int64_t>(step->integer) : -1;
  } catch (const Error &) {
    return -1;
  }
}

// A share as [right, total]; another score as an object.
std::string formatScore(const Score &score) {
  if (score.kind == Score::Kind::Share)
    return fmt::format("[{}, {}]", score.right(), score.count);
  const std::string head = fmt::format("{{\"{}\": {}, \"unit\": {}", score.kind == Score::Kind::Mean ? "mean" : "value",
                                       formatJson(score.result()), quoteJson(score.unit));
  if (score.kind == Score::Kind::Value)
    return head + "}";
  const Interval interval = score.interval();
  return fmt::format("{}, \"low\": {}, \"high\": {}, \"count\": {}}}", head, formatJson(interval.low),
                     formatJson(interval.high), score.count);
}

} // namespace

std::string metricsLine(const StepMetrics &metrics) {
  return fmt::format("{{\"step\": {}, \"loss\": {}, \"grad_norm\": {}, \"lr\": {}, \"tokens\": {}{}}}\n", metrics.step,
                     formatJson(metrics.loss), formatJson(metrics.gradNorm), formatJson(metrics.learningRate),
                     metrics.tokens, metrics.skipped ? ", \"skipped\": true" : "");
}

std::string metricsLine(const EvaluationMetrics &metrics) {
  std::string line = fmt::format("{{\"step\": {}", metrics.step);
  if (metrics.loss)
    line += fmt::format(", \"eval_loss\": {}", formatJson(*metrics.loss));
  line += ", \"scores\": {";
  const char *separator = "";
  for (const Score &score : metrics.scores) {
    line += fmt::format("{}{}: {}", separator, quoteJson(score.name), formatScore(score));
    separator = ", ";
  }
  return line + "}" + (metrics.weights ? ", \"weights\": " + writeOrigin(*metrics.weights) : "") + "}\n";
}

std::vector<std::pair<std::string, double>> scalarsOf(const EvaluationMetrics &metrics) {
  std::vector<std::pair<std::string, double>> scalars;
  if (metrics.loss)
    scalars.emplace_back("eval/loss", *metrics.loss);
  for (const Score &score : metrics.scores)
    if (score.count > 0)
      scalars.emplace_back("eval/" + score.name, score.result() * (score.kind == Score::Kind::Share ? 100 : 1));
  return scalars;
}

std::string writeOrigin(const WeightsOrigin &origin) {
  return fmt::format("{{\"step\": {}, \"passed_over\": [{}]}}", origin.step, fmt::join(origin.passedOver, ", "));
}

WeightsOrigin readOrigin(std::string_view text) {
  const JsonValue value = parseJson(text, 4);
  WeightsOrigin origin;
  if (const JsonValue *step = value.find("step"))
    origin.step = step->asInteger().value_or(0);
  if (const JsonValue *passed = value.find("passed_over"))
    for (const JsonValue &item : passed->items)
      origin.passedOver.push_back(item.asInteger().value_or(0));
  if (writeOrigin(origin) != text)
    throw Error(fmt::format("the origin of weights must hold 'step' and 'passed_over', but got {}", text));
  return origin;
}

// A pipe would be waited for until somebody reads it.
static void refuseOthers(const std::string &path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(fmt::format("cannot open '{}': not a regular file", path));
}

AppendFile::AppendFile(const std::string &path, bool followLinks) : path(path) {
  if (!followLinks)
    refuseOthers(path);
  // A pipe that nobody reads would be waited for.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW);
  descriptor = Descriptor(open(path.c_str(), flags, 0644));
  if (!descriptor.isOpen())
    failFile("open", path, errno);
  fcntl(descriptor.get(), F_SETFL, O_APPEND);
}

void AppendFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failFile("write", path, errno);
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void AppendFile::sync() {
  if (fdatasync(descriptor.get()) != 0)
    failFile("sync", path, errno);
}

bool truncateLines(const std::string &path, int64_t step) {
  if (!pathExists(path))
    return step == 0;
  const std::string text = readFile(path, maxLogBytes);
  size_t keep = 0;
  int64_t reached = 0;
  bool whole = true;
  while (true) {
    const size_t end = text.find('\n', keep);
    if (end == std::string::npos)
      break;
    const int64_t lineStep = stepOf(std::string_view(text).substr(keep, end - keep));
    if (lineStep < 0 || lineStep > step)
      break;
    whole &= lineStep == reached || lineStep == reached + 1;
    reached = lineStep;
    keep = end + 1;
  }
  if (keep != text.size())
    replaceFile(path, std::string_view(text).substr(0, keep));
  return whole && reached == step;
}

int64_t lastStepOf(const std::string &path) {
  if (!pathExists(path))
    return 0;
  const std::string text = readFile(path, maxLogBytes);
  const size_t end = text.rfind('\n');
  if (end == std::string::npos)
    return 0;
  const size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return std::max<int64_t>(0, stepOf(std::string_view(text).substr(begin, end - begin)));
}

} // namespace stretto::runtime
