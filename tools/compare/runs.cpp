#include "tools/compare/runs.h"

#include "runtime/train/score.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace stretto {

using Json = nlohmann::ordered_json;

std::vector<std::string> GrowingLines::next() {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (file && file.tellg() < offset)
    offset = count = 0;
  std::vector<std::string> lines;
  if (!file || !file.seekg(offset))
    return lines;
  for (std::string line; std::getline(file, line) && !file.eof(); lines.push_back(std::move(line)))
    offset += int64_t(line.size()) + 1;
  count += int64_t(lines.size());
  return lines;
}

std::string GrowingLines::place(size_t back, const std::string &what) const {
  return path + ":" + std::to_string(count - int64_t(back)) + ": " + what;
}

Run::Run(std::string path, Absent)
    : folder(std::move(path)), metricsFile(folder + "/metrics.jsonl"), timingFile(folder + "/timing.jsonl") {}

Run::Run(std::string path) : Run(std::move(path), Absent()) {
  if (!std::ifstream(folder + "/metrics.jsonl"))
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

// Adds the number under a key, if there is one.
static void addNumber(const Json &object, const char *key, double step, std::vector<Point> &points) {
  auto found = object.find(key);
  if (found != object.end() && found->is_number())
    points.push_back({step, found->get<double>()});
}

// Reads a line and its step. Returns what is wrong.
static std::string readObject(const std::string &line, Json &object, int64_t &step) {
  object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return "must be a JSON object";
  auto found = object.find("step");
  if (found == object.end() || !found->is_number_integer())
    return "must have an integer under 'step'";
  step = found->get<int64_t>();
  return "";
}

std::string Run::readTiming(const std::string &line) {
  Json object;
  int64_t at = 0;
  if (std::string wrong = readObject(line, object, at); !wrong.empty())
    return wrong;
  if (!speed.empty() && double(at) <= speed.back().step)
    forget(speed, double(at));
  addNumber(object, "tokens_per_second", double(at), speed);
  return "";
}

std::string Run::readMetrics(const std::string &line) {
  Json object;
  int64_t next = 0;
  if (std::string wrong = readObject(line, object, next); !wrong.empty())
    return wrong;
  if (next < step)
    forgetFrom(double(next));
  step = next;
  addNumber(object, "loss", double(step), loss);
  addNumber(object, "lr", double(step), learningRate);
  addNumber(object, "eval_loss", double(step), evaluationLoss);
  auto found = object.find("scores");
  if (found == object.end())
    return "";
  if (!found->is_object())
    return "'scores' must be a JSON object";
  for (const auto &[name, score] : found->items())
    if (std::string wrong = readScore(name, score); !wrong.empty())
      return "score '" + name + "' " + wrong;
  return "";
}

// A number, or NAN where it is none (infinities are written as text).
static double numberUnder(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

// Reads one of the three forms into a point (its value is NAN where there is none) and a unit. Returns what is wrong.
static std::string readForm(const Json &score, Point &point, std::string &unit) {
  point.value = NAN;
  if (score.is_array()) {
    if (score.size() != 2 || !score[0].is_number() || !score[1].is_number())
      return "must be [right, total]";
    unit = "%";
    const double right = score[0].get<double>(), total = score[1].get<double>();
    if (!(right >= 0 && right <= total))
      return "must have right in 0..total, but got " + score.dump();
    if (total == 0)
      return "";
    const Interval interval = Score::share("", int64_t(right), int64_t(total)).interval();
    point = {point.step, 100 * right / total, 100 * interval.low, 100 * interval.high};
    return "";
  }
  if (!score.is_object() || (!score.contains("mean") && !score.contains("value")))
    return "must be [right, total] or an object with 'mean' or 'value', but got " + score.dump();
  if (!score.contains("unit") || !score["unit"].is_string())
    return "must have a text under 'unit', but got " + score.dump();
  unit = score["unit"].get<std::string>();
  if (score.contains("mean") && numberUnder(score, "count") == 0)
    return "";
  point = {point.step, numberUnder(score, score.contains("mean") ? "mean" : "value"), numberUnder(score, "low"),
           numberUnder(score, "high")};
  return "";
}

std::string Run::readScore(const std::string &name, const Json &score) {
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

} // namespace stretto
