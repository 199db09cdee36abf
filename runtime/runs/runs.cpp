// Reading what a training run wrote about itself.
#include "runtime/runs/runs.h"

#include "runtime/train/files.h"
#include "runtime/train/score.h"

#include <algorithm>

namespace stretto::runtime {

double drawable(double value) {
  constexpr double most = 1e100;
  if (!(std::abs(value) <= most))
    return NAN;
  return std::abs(value) < 1 / most ? 0 : value;
}

Run::Run(std::string path, Absent)
    : folder(std::move(path)), metricsFile(folder + "/metrics.jsonl"), timingFile(folder + "/timing.jsonl") {}

Run::Run(std::string path) : Run(std::move(path), Absent()) {
  if (!pathExists(folder))
    throw Error("'" + folder + "' must be a run directory, but is not there");
  if (!pathExists(folder + "/metrics.jsonl"))
    throw Error("'" + folder + "' is no run directory: it has no readable metrics.jsonl");
  update();
}

Run Run::starting(std::string folder) { return Run(std::move(folder), Absent()); }

bool Run::read(GrowingLines &file, std::string (Run::*readLine)(const std::string &)) {
  std::vector<std::string> lines = file.next();
  for (size_t i = 0; i < lines.size(); ++i)
    if (std::string wrong = (this->*readLine)(lines[i]); !wrong.empty())
      throw Error(file.place(lines.size() - 1 - i, wrong));
  return !lines.empty();
}

bool Run::update() {
  bool metrics = read(metricsFile, &Run::readMetrics), timing = read(timingFile, &Run::readTiming);
  return metrics || timing;
}

static void forget(std::vector<Point> &points, double from) {
  std::erase_if(points, [&](const Point &point) { return point.step >= from; });
}

void Run::forgetFrom(double from) {
  for (std::vector<Point> *points : {&loss, &evaluationLoss, &learningRate})
    forget(*points, from);
  for (auto &[name, score] : scores)
    forget(score.points, from);
}

// For messages.
static std::string shortJson(const JsonValue &value) { return formatJson(value).substr(0, 100); }

static bool hasControls(const std::string &text) {
  return std::ranges::any_of(text, [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; });
}

// The number under a key, as far as it can be drawn; NAN where there is none (infinities are written as text).
static double numberUnder(const JsonValue &object, const char *key) {
  const JsonValue *found = object.find(key);
  return drawable(found ? found->asNumber().value_or(NAN) : NAN);
}

// Adds the number under a key, if there is one.
static void addNumber(const JsonValue &object, const char *key, double step, std::vector<Point> &points) {
  if (const double value = numberUnder(object, key); !std::isnan(value))
    points.push_back({step, value});
}

// Reads a line and its step. Returns what is wrong.
static std::string readObject(const std::string &line, JsonValue &object, int64_t &step) {
  try {
    object = parseJson(line, 8);
  } catch (const Error &error) {
    return error.what();
  }
  if (object.kind != JsonValue::Kind::Object)
    return "must be a JSON object";
  const JsonValue *found = object.find("step");
  if (!found || found->asInteger().value_or(-1) < 0)
    return "must have an integer under 'step'" + (found ? ", from 0, but got " + shortJson(*found) : "");
  step = *found->asInteger();
  return "";
}

std::string Run::readTiming(const std::string &line) {
  JsonValue object;
  int64_t at = 0;
  if (std::string wrong = readObject(line, object, at); !wrong.empty())
    return wrong;
  if (!speed.empty() && double(at) <= speed.back().step)
    forget(speed, double(at));
  addNumber(object, "tokens_per_second", double(at), speed);
  return "";
}

void Run::readWhetherLost(const JsonValue &object) {
  const auto isNoNumber = [&](const char *key) { return object.find(key) && std::isnan(numberUnder(object, key)); };
  if (object.find("loss") || object.find("eval_loss"))
    lossIsLost = isNoNumber("loss") || isNoNumber("eval_loss") || isNoNumber("grad_norm");
}

std::string Run::readMetrics(const std::string &line) {
  JsonValue object;
  int64_t next = 0;
  if (std::string wrong = readObject(line, object, next); !wrong.empty())
    return wrong;
  if (next < step)
    forgetFrom(double(next));
  step = next;
  if (!object.find("skipped"))
    readWhetherLost(object);
  addNumber(object, "loss", double(step), loss);
  addNumber(object, "lr", double(step), learningRate);
  addNumber(object, "eval_loss", double(step), evaluationLoss);
  const JsonValue *found = object.find("scores");
  if (!found)
    return "";
  if (found->kind != JsonValue::Kind::Object)
    return "'scores' must be a JSON object";
  for (const auto &[name, score] : found->members) {
    if (hasControls(name))
      return "the name of a score must not hold control signs, but got " + quoteJson(name);
    if (std::string wrong = readScore(name, score); !wrong.empty())
      return "score '" + name + "' " + wrong;
  }
  return "";
}

// Reads [right, total]. Returns what is wrong.
static std::string readShare(const JsonValue &score, Point &point) {
  if (score.items.size() != 2 || !score.items[0].asInteger() || !score.items[1].asInteger())
    return "must be [right, total]";
  const int64_t right = *score.items[0].asInteger(), total = *score.items[1].asInteger();
  if (right < 0 || right > total)
    return "must have right in 0..total, but got " + shortJson(score);
  if (total == 0)
    return "";
  const Interval interval = Score::share("", right, total).interval();
  point = {point.step, 100 * double(right) / double(total), 100 * interval.low, 100 * interval.high};
  return "";
}

// Reads one of the three forms into a point (its value is NAN where there is none) and a unit. Returns what is wrong.
static std::string readForm(const JsonValue &score, Point &point, std::string &unit) {
  point.value = NAN;
  if (score.kind == JsonValue::Kind::Array) {
    unit = "%";
    return readShare(score, point);
  }
  const bool isMean = score.find("mean");
  if (!isMean && !score.find("value"))
    return "must be [right, total] or an object with 'mean' or 'value', but got " + shortJson(score);
  const JsonValue *given = score.find("unit");
  if (!given || given->kind != JsonValue::Kind::String || hasControls(given->text))
    return "must have a text under 'unit', but got " + shortJson(score);
  unit = given->text;
  if (isMean && numberUnder(score, "count") == 0)
    return "";
  point = {point.step, numberUnder(score, isMean ? "mean" : "value"), numberUnder(score, "low"),
           numberUnder(score, "high")};
  return "";
}

std::string Run::readScore(const std::string &name, const JsonValue &score) {
  Point point{double(step), NAN};
  std::string unit;
  if (std::string wrong = readForm(score, point, unit); !wrong.empty())
    return wrong;
  if (!scores.contains(name)) {
    scoreNames.push_back(name);
    scores[name].unit = unit;
  }
  ScoreCurve &curve = scores[name];
  if (curve.unit != unit)
    return "must keep its unit '" + curve.unit + "', but got '" + unit + "'";
  if (!std::isnan(point.value))
    curve.points.push_back(point);
  return "";
}

std::string Run::unitOf(const std::string &score) const {
  auto found = scores.find(score);
  return found == scores.end() ? "" : found->second.unit;
}

} // namespace stretto::runtime
