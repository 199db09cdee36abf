#include "tools/compare/runs.h"

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
  for (auto &[name, points] : scores)
    forget(points, from);
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
  for (const auto &[name, score] : found->items()) {
    if (!score.is_array() || score.size() != 2 || !score[0].is_number() || !score[1].is_number())
      return "score '" + name + "' must be [right, total]";
    if (!scores.contains(name))
      scoreNames.push_back(name);
    if (double total = score[1].get<double>(); total > 0)
      scores[name].push_back({double(step), 100 * score[0].get<double>() / total});
    else
      scores[name];
  }
  return "";
}

} // namespace stretto
