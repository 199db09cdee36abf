#include "tools/compare/runs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace stretto {

using Json = nlohmann::ordered_json;

static std::string metricsFile(const std::string &folder) { return folder + "/metrics.jsonl"; }

Run::Run(std::string folder) : folder(std::move(folder)) {
  if (!std::ifstream(metricsFile(this->folder)))
    throw Error("'" + this->folder + "' is no run directory: it has no readable metrics.jsonl");
  update();
}

Run Run::starting(std::string folder) {
  Run run;
  run.folder = std::move(folder);
  return run;
}

void Run::fail(const std::string &what) const {
  throw Error(metricsFile(folder) + ":" + std::to_string(lineNumber) + ": " + what);
}

bool Run::update() {
  std::ifstream file(metricsFile(folder), std::ios::binary);
  if (!file || !file.seekg(offset))
    return false;
  bool news = false;
  for (std::string line; std::getline(file, line) && !file.eof(); news = true) {
    offset += int64_t(line.size()) + 1;
    ++lineNumber;
    readLine(line);
  }
  return news;
}

void Run::forgetFrom(double from) {
  auto forget = [&](std::vector<Point> &points) {
    std::erase_if(points, [&](const Point &point) { return point.step >= from; });
  };
  forget(loss);
  forget(learningRate);
  forget(speed);
  for (auto &[name, points] : scores)
    forget(points);
}

// The number under a key, if there is one.
static const Json *findNumber(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? &*found : nullptr;
}

void Run::readLine(const std::string &line) {
  Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    fail("must be a JSON object");
  const Json *at = findNumber(object, "step");
  if (!at)
    fail("must have a number under 'step'");
  int64_t next = at->get<int64_t>();
  if (next < step)
    forgetFrom(double(next));
  step = next;
  auto add = [&](const char *key, std::vector<Point> &points) {
    if (const Json *number = findNumber(object, key))
      points.push_back({double(step), number->get<double>()});
  };
  add("loss", loss);
  add("lr", learningRate);
  add("tokens_per_second", speed);
  auto evaluation = object.find("evaluation");
  if (evaluation == object.end() || evaluation->is_null())
    return;
  for (const auto &[name, score] : evaluation->items()) {
    const Json *right = findNumber(score, "right"), *total = findNumber(score, "total");
    if (!right || !total)
      fail("score '" + name + "' must have numbers under 'right' and 'total'");
    if (!scores.contains(name))
      scoreNames.push_back(name);
    std::vector<Point> &points = scores[name];
    if (total->get<double>() > 0)
      points.push_back({double(step), 100 * right->get<double>() / total->get<double>()});
  }
}

} // namespace stretto
