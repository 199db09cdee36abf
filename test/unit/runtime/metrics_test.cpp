// Lines of metrics.jsonl.
#include "runtime/train/metrics.h"

#include "runtime/train/json.h"
#include "test/unit/runtime/small.h"

#include <cmath>
using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

TEST(Metrics, LinesAreJson) {
  const std::string line = metricsLine(EvaluationMetrics{5, 0.1, {Score::share("accuracy/k=\"2\"", 3, 4)}, {}});
  EXPECT_EQ(line, "{\"step\": 5, \"eval_loss\": 0.1, \"scores\": {\"accuracy/k=\\\"2\\\"\": [3, 4]}}\n");
  EXPECT_EQ(metricsLine(StepMetrics{1, NAN, 2, 0.5, 10, true}),
            "{\"step\": 1, \"loss\": \"nan\", \"grad_norm\": 2, \"lr\": 0.5, \"tokens\": 10, \"skipped\": true}\n");
  EXPECT_NO_THROW(parseJson(line, 3));
  EXPECT_EQ(metricsLine(EvaluationMetrics{5, {}, {}, {}}), "{\"step\": 5, \"scores\": {}}\n")
      << "no target was counted";
}

TEST(Metrics, MeansCarryTheirInterval) {
  Score nll = Score::mean("nll", "nats");
  nll.addNumber(2);
  nll.addNumber(2);
  EXPECT_EQ(metricsLine(EvaluationMetrics{1, 0, {nll, Score::value("size", "bits", 7)}, {}}),
            "{\"step\": 1, \"eval_loss\": 0, \"scores\": {\"nll\": {\"mean\": 2, \"unit\": \"nats\", \"low\": 2, "
            "\"high\": 2, \"count\": 2}, \"size\": {\"value\": 7, \"unit\": \"bits\"}}}\n");
}

TEST(Metrics, TensorBoardShowsPercents) {
  const EvaluationMetrics metrics{
      5, 0.5, {Score::share("accuracy", 3, 4), Score::share("empty"), Score::value("floor", "%", 12.5)}, {}};
  EXPECT_EQ(scalarsOf(metrics), (std::vector<std::pair<std::string, double>>{
                                    {"eval/loss", 0.5}, {"eval/accuracy", 75}, {"eval/floor", 12.5}}));
}

TEST(Metrics, ScoresSayWhichCheckpointTheyAreOf) {
  const WeightsOrigin origin{20, {40, 30}};
  EXPECT_EQ(
      metricsLine(EvaluationMetrics{0, 1, {}, origin}),
      "{\"step\": 0, \"eval_loss\": 1, \"scores\": {}, \"weights\": {\"step\": 20, \"passed_over\": [40, 30]}}\n");
  EXPECT_EQ(readOrigin(writeOrigin(origin)), origin);
  EXPECT_EQ(readOrigin(writeOrigin({7, {}})), (WeightsOrigin{7, {}}));
  for (const char *other : {"[]", "{}", "{\"step\": \"7\", \"passed_over\": []}", "{\"step\": 7, \"passed_over\": 8}"})
    EXPECT_EQ(errorOf([&] { readOrigin(other); }),
              std::string("the origin of weights must hold 'step' and 'passed_over', but got ") + other);
}

TEST(Metrics, LinesAreAppendedAndSynced) {
  TemporaryFolder folder;
  spill(folder / "lines", "a\n");
  AppendFile file(folder / "lines");
  file.append("b\n");
  file.append("c\n");
  EXPECT_NO_THROW(file.sync());
  EXPECT_EQ(slurp(folder / "lines"), "a\nb\nc\n");
}

TEST(Metrics, StepsThatLackALineAreSeen) {
  TemporaryFolder folder;
  std::vector<std::string> lines;
  for (int64_t step = 1; step <= 4; ++step)
    lines.push_back(metricsLine(StepMetrics{step, 1, 1, 1, 1, false}));
  lines.insert(lines.begin() + 2, metricsLine(EvaluationMetrics{2, 1, {}, {}}));
  auto isWhole = [&](const std::vector<size_t> &kept, int64_t step) {
    std::string text;
    for (size_t i : kept)
      text += lines[i];
    spill(folder / "m", text);
    return truncateLines(folder / "m", step);
  };
  EXPECT_TRUE(isWhole({0, 1, 2, 3, 4}, 4));
  EXPECT_TRUE(isWhole({0, 1, 2, 3, 4}, 2));
  EXPECT_TRUE(isWhole({}, 0));
  EXPECT_FALSE(isWhole({0, 1, 2, 3}, 4));
  EXPECT_FALSE(isWhole({0, 3, 4}, 4));
  EXPECT_FALSE(isWhole({1, 2, 3, 4}, 4));
  EXPECT_FALSE(isWhole({}, 4));
  EXPECT_FALSE(truncateLines(folder / "none", 4));
  EXPECT_TRUE(truncateLines(folder / "none", 0));
}

TEST(Metrics, LinesAfterTheRestoredStepAreDropped) {
  TemporaryFolder folder;
  const std::string one = metricsLine(StepMetrics{1, 1, 1, 1, 1, false}),
                    two = metricsLine(StepMetrics{2, 1, 1, 1, 1, false});
  const std::string eval = metricsLine(EvaluationMetrics{2, 1, {}, {}}),
                    three = metricsLine(StepMetrics{3, 1, 1, 1, 1, false});
  auto after = [&](const std::string &content, int64_t step) {
    spill(folder / "m", content);
    truncateLines(folder / "m", step);
    return slurp(folder / "m");
  };
  EXPECT_EQ(after(one + two + eval + three, 2), one + two + eval);
  EXPECT_EQ(after(one + two + eval + three, 3), one + two + eval + three);
  EXPECT_EQ(after(one + two + eval + three, 0), "");
  EXPECT_EQ(after(one + two.substr(0, 9), 5), one);
  EXPECT_EQ(after(one + "{\"step\": oops}\n" + two, 5), one);
  EXPECT_NO_THROW(truncateLines(folder / "none", 1));
}

// Check value of CRC-32C (RFC 3720, B.4 gives more): the digits 1 to 9.
TEST(Metrics, Crc32c) { EXPECT_EQ(crc32c("123456789"), 0xE3069283u); }

TEST(Metrics, EventsGoOnInTheSameFileWithoutLaterSteps) {
  TemporaryFolder folder;
  std::vector<size_t> sizes;
  {
    EventFile events(folder.path, 0);
    for (int64_t step : {1, 2, 300}) {
      events.scalars(step, {{"loss", 1.5}});
      sizes.push_back(slurp(folder / listDirectory(folder.path)[0]).size());
    }
  }
  ASSERT_EQ(listDirectory(folder.path).size(), 1u);
  const std::string path = folder / listDirectory(folder.path)[0], all = slurp(path);
  EventFile(folder.path, 300);
  EXPECT_EQ(slurp(path), all);
  spill(path, all.substr(0, all.size() - 3));
  EventFile(folder.path, 300);
  EXPECT_EQ(slurp(path), all.substr(0, sizes[1]));
  EventFile(folder.path, 1);
  EXPECT_EQ(slurp(path), all.substr(0, sizes[0]));
}

TEST(AppendFile, AFullDiskIsAnError) {
  AppendFile full("/dev/full", /*followLinks=*/true);
  EXPECT_EQ(errorOf([&] { full.append("a line\n"); }), "cannot write '/dev/full': No space left on device");
}
