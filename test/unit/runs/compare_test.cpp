// Comparing runs: reading of run directories, curves and their statistics.
#include "runtime/runs/findings.h"
#include "runtime/runs/frame.h"
#include "runtime/runs/groups.h"
#include "runtime/runs/plots.h"
#include "runtime/runs/report.h"
#include "runtime/runs/statistics.h"
#include "runtime/runs/table.h"
#include "runtime/runs/text_plot.h"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

using namespace stretto;
using namespace stretto::runtime;

namespace {

// A run directory that goes away with the test.
struct RunFolder {
  explicit RunFolder(const std::string &lines) {
    char pattern[] = "/tmp/stretto-compare-XXXXXX";
    path = mkdtemp(pattern);
    append(lines);
  }
  ~RunFolder() { std::filesystem::remove_all(path); }
  void append(const std::string &text, const std::string &file = "metrics.jsonl") const {
    std::ofstream(path + "/" + file, std::ios::app) << text;
  }

  std::string path;
};

std::string errorOf(const std::string &lines) {
  RunFolder folder(lines);
  try {
    stretto::runtime::Run run(folder.path);
  } catch (const Error &error) {
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with(folder.path));
    return text.substr(folder.path.size());
  }
  return "";
}

std::vector<double> values(const std::vector<Point> &points) {
  std::vector<double> result;
  for (const Point &point : points)
    result.push_back(point.value);
  return result;
}

stretto::runtime::Run runWithLosses(const std::vector<double> &losses) {
  stretto::runtime::Run run = stretto::runtime::Run::starting("x");
  for (double loss : losses)
    run.loss.push_back({double(run.loss.size() + 1), loss});
  return run;
}

} // namespace

TEST(Runs, ReadsWhatIsThere) {
  RunFolder folder(R"({"step":1,"loss":2.5,"lr":0.1,"grad_norm":3,"tokens":64}
{"step":2,"loss":"inf","lr":0.2}
{"step":2,"eval_loss":1.5,"scores":{"z":[1,4],"a":[3,3],"none":[0,0]}}
)");
  folder.append("{\"step\":1,\"seconds\":0.5,\"tokens_per_second\":100}\n", "timing.jsonl");
  stretto::runtime::Run run(folder.path);
  EXPECT_EQ(values(run.loss), std::vector<double>{2.5});
  EXPECT_EQ(values(run.learningRate), (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(values(run.evaluationLoss), std::vector<double>{1.5});
  EXPECT_EQ(values(run.speed), std::vector<double>{100});
  EXPECT_EQ(run.scoreNames, (std::vector<std::string>{"z", "a", "none"}));
  EXPECT_EQ(values(run.scores.at("z").points), std::vector<double>{25});
  EXPECT_TRUE(run.scores.at("none").points.empty());
  EXPECT_EQ(run.lastStep(), 2);
}

TEST(Runs, FollowsAFileThatGrows) {
  RunFolder folder("{\"step\":1,\"loss\":2}\n{\"step\":2,\"lo");
  stretto::runtime::Run run(folder.path);
  EXPECT_EQ(values(run.loss), std::vector<double>{2});
  EXPECT_FALSE(run.update());
  folder.append("ss\":1}\n");
  EXPECT_TRUE(run.update());
  EXPECT_EQ(values(run.loss), (std::vector<double>{2, 1}));
  stretto::runtime::Run absent = stretto::runtime::Run::starting(folder.path + "/not-yet");
  EXPECT_FALSE(absent.update());
}

// A run that was killed and resumed writes some steps twice.
TEST(Runs, LaterLinesReplaceEarlierOnes) {
  RunFolder folder("{\"step\":1,\"loss\":3}\n{\"step\":2,\"loss\":2}\n{\"step\":3,\"loss\":9}\n"
                   "{\"step\":2,\"loss\":2.5}\n{\"step\":3,\"loss\":1}\n");
  folder.append("{\"step\":1,\"tokens_per_second\":10}\n{\"step\":2,\"tokens_per_second\":20}\n"
                "{\"step\":2,\"tokens_per_second\":25}\n{\"step\":3,\"tokens_per_second\":30}\n",
                "timing.jsonl");
  const stretto::runtime::Run run(folder.path);
  EXPECT_EQ(values(run.loss), (std::vector<double>{3, 2.5, 1}));
  EXPECT_EQ(values(run.speed), (std::vector<double>{10, 25, 30}));
}

// A resumed run first drops the lines after its checkpoint.
TEST(Runs, FollowsAFileThatShrinks) {
  RunFolder folder("{\"step\":1,\"loss\":3}\n{\"step\":2,\"loss\":2}\n{\"step\":3,\"loss\":1}\n");
  stretto::runtime::Run run(folder.path);
  std::filesystem::resize_file(folder.path + "/metrics.jsonl", 20);
  folder.append("{\"step\":2,\"loss\":5}\n");
  EXPECT_TRUE(run.update());
  EXPECT_EQ(values(run.loss), (std::vector<double>{3, 5}));
}

TEST(Runs, ErrorsNameTheLine) {
  EXPECT_EQ(errorOf("{\"step\":1}\nnonsense\n"),
            "/metrics.jsonl:2: JSON text must follow RFC 8259, but got something else at byte 2");
  EXPECT_EQ(errorOf("{\"step\":1}\n[]\n"), "/metrics.jsonl:2: must be a JSON object");
  EXPECT_EQ(errorOf("{\"step\":-1}\n"), "/metrics.jsonl:1: must have an integer under 'step', from 0, but got -1");
  EXPECT_EQ(errorOf("{\"loss\":1}\n"), "/metrics.jsonl:1: must have an integer under 'step'");
  EXPECT_EQ(errorOf("{\"step\":1,\"scores\":{\"a\":[1]}}\n{\"step\":2}\n"),
            "/metrics.jsonl:1: score 'a' must be [right, total]");
  auto scoreError = [](const std::string &score) {
    return errorOf("{\"step\":1,\"scores\":{\"a\":" + score + "}}\n")
        .substr(std::string("/metrics.jsonl:1: score 'a' ").size());
  };
  EXPECT_EQ(scoreError("[5,4]"), "must have right in 0..total, but got [5,4]");
  EXPECT_EQ(scoreError("3"), "must be [right, total] or an object with 'mean' or 'value', but got 3");
  EXPECT_EQ(scoreError("{\"low\":3}"),
            "must be [right, total] or an object with 'mean' or 'value', but got {\"low\":3}");
  EXPECT_EQ(scoreError("{\"value\":3}"), "must have a text under 'unit', but got {\"value\":3}");
  EXPECT_EQ(errorOf("{\"step\":1,\"scores\":[]}\n"), "/metrics.jsonl:1: 'scores' must be a JSON object");
  EXPECT_EQ(
      errorOf(
          "{\"step\":1,\"scores\":{\"a\":[1,2]}}\n{\"step\":2,\"scores\":{\"a\":{\"value\":3,\"unit\":\"nats\"}}}\n"),
      "/metrics.jsonl:2: score 'a' must keep its unit '%', but got 'nats'");
  EXPECT_THROW(stretto::runtime::Run("/nonexistent"), Error);
}

TEST(Curves, MeanOverCommonSteps) {
  RunGroup group{"g", {runWithLosses({4, 2, 1}), runWithLosses({2, 4})}};
  EXPECT_EQ(values(meanCurve(group, "loss")), (std::vector<double>{3, 3}));
}

// Steps 19 and 20 of 20 are the last tenth.
TEST(Curves, FinalLossIsTheMeanOfTheLastTenth) {
  std::vector<double> losses(20, 100);
  losses[18] = 2, losses[19] = 4;
  Figure figure = finalFigure({"g", {runWithLosses(losses), runWithLosses({5})}}, "loss");
  EXPECT_EQ(figure.values, (std::vector<double>{3, 5}));
  EXPECT_EQ(figure.mean(), 4);
  EXPECT_EQ(figure.low(), 3);
  EXPECT_EQ(figure.high(), 5);
}

TEST(Curves, ThinningAverages) {
  std::vector<Point> points;
  for (int i = 0; i < 10; ++i)
    points.push_back({double(i), double(i)});
  EXPECT_EQ(values(thin(points, 10)).size(), 10u);
  EXPECT_EQ(values(thin(points, 4)), (std::vector<double>{1, 4, 7, 9}));
}

// Tables of the distribution: t(0.975).
TEST(Statistics, StudentQuantiles) {
  const std::pair<int64_t, double> known[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},   {4, 2.7764},
                                              {9, 2.2622},  {30, 2.0423}, {1000, 1.9623}};
  for (const auto &[freedom, t] : known)
    EXPECT_NEAR(studentQuantile(freedom), t, 5e-5) << freedom;
}

TEST(Statistics, IntervalOfTheMean) {
  EXPECT_NEAR(halfInterval(std::vector<double>{1, 2, 3}), 4.30265 / std::sqrt(3.0), 1e-4);
  EXPECT_EQ(halfInterval(std::vector<double>{5, 5}), 0);
  EXPECT_TRUE(std::isnan(halfInterval(std::vector<double>{5})));
}

TEST(Statistics, TheMedianOfAnEvenNumberIsBetweenTwo) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1}), 5);
  EXPECT_EQ(median({4, 9, 1, 2}), 3);
}

static RunGroup groupOf(const std::string &lines) {
  RunFolder folder(lines);
  return {"g", {stretto::runtime::Run(folder.path)}};
}

TEST(Scores, ThreeForms) {
  const RunGroup group = groupOf(
      R"({"step":1,"scores":{"a":[1,4],"k":{"mean":2.5,"unit":"nats","low":2,"high":3,"count":7},"b":{"value":0.5,"unit":""}}}
{"step":2,"scores":{"k":{"mean":"inf","unit":"nats","low":"nan","high":"nan","count":7}}}
{"step":3,"scores":{"k":{"mean":0,"unit":"nats","low":0,"high":0,"count":0}}}
)");
  const std::vector<RunGroup> groups{group};
  EXPECT_EQ(unitOf(groups, "a"), "%");
  EXPECT_EQ(unitOf(groups, "k"), "nats");
  EXPECT_EQ(unitOf(groups, "b"), "");
  EXPECT_FALSE(lessIsBetter("a", "%"));
  EXPECT_TRUE(lessIsBetter("k", "nats"));
  EXPECT_EQ(headlineOf(groups), "a");
  EXPECT_EQ(values(curveOf(group.runs[0], "k")), std::vector<double>{2.5}); // neither infinities nor no instances
  const Point share = *finalPoint(group, "a"), mean = *finalPoint(group, "k");
  EXPECT_NEAR(share.low, 4.56, 0.01); // Wilson's interval for 1 of 4
  EXPECT_NEAR(share.high, 69.94, 0.01);
  EXPECT_EQ(mean.low, 2);
  EXPECT_EQ(mean.high, 3);
  EXPECT_TRUE(std::isnan(finalPoint(group, "b")->low));
  EXPECT_FALSE(finalPoint(group, "none"));
  EXPECT_EQ(valueText("%", 79.54), "79.5 %");
  EXPECT_EQ(valueText("nats", 0.12345), "0.1235 nats");
  EXPECT_EQ(valueText("", 2), "2");
}

TEST(Scores, UnitsMustAgree) {
  const std::vector<RunGroup> groups{groupOf("{\"step\":1,\"scores\":{\"a\":[1,4]}}\n"),
                                     groupOf("{\"step\":1,\"scores\":{\"a\":{\"value\":1,\"unit\":\"bits\"}}}\n")};
  EXPECT_THROW(unitOf(groups, "a"), Error);
}

TEST(Scores, OfSeveralRunsTheIntervalIsThatOfTheMean) {
  RunGroup group = groupOf("{\"step\":1,\"scores\":{\"a\":[1,4]}}\n");
  group.runs.push_back(groupOf("{\"step\":1,\"scores\":{\"a\":[3,4]}}\n").runs[0]);
  const Point point = *finalPoint(group, "a");
  EXPECT_EQ(point.value, 50);
  EXPECT_NEAR(point.high, 50 + 12.7062 * 25, 0.01);
}

// A run that ends with a loss that is no number has no figure, however good the last one was that is one.
TEST(Curves, LostRunsHaveNoFigure) {
  const std::string step = "{\"step\":1,\"loss\":1}\n", score = "\"scores\":{\"a\":[1,4]}}\n";
  RunGroup group = groupOf(step + "{\"step\":1,\"eval_loss\":1," + score +
                           "{\"step\":2,\"loss\":2}\n{\"step\":2,\"eval_loss\":\"nan\"," + score);
  EXPECT_TRUE(group.runs[0].isLost());
  for (const char *metric : {"loss", "eval_loss", "a"})
    EXPECT_TRUE(finalFigure(group, metric).values.empty()) << metric;
  group.runs.push_back(groupOf(step + "{\"step\":2,\"loss\":\"inf\",\"skipped\":true}\n").runs[0]);
  EXPECT_FALSE(group.runs[1].isLost()) << "what is skipped leaves the weights as they were";
  const Figure figure = finalFigure(group, "loss");
  EXPECT_EQ(figure.values, std::vector<double>{1});
  EXPECT_EQ(figure.runs, 2u);
  EXPECT_EQ(compareTable(std::vector{group}).rows[0][3], "1.0000\t(1 of 2 runs)");
  group.runs.push_back(groupOf("{\"step\":1,\"loss\":3}\n").runs[0]);
  EXPECT_TRUE(compareTable(std::vector{group}).rows[0][3].ends_with("\t(1.0000 to 3.0000; 2 of 3 runs)"));
  EXPECT_TRUE(groupOf("{\"step\":1,\"loss\":\"inf\"}\n").runs[0].isLost());
  EXPECT_TRUE(groupOf("{\"step\":1,\"loss\":2,\"grad_norm\":\"inf\"}\n").runs[0].isLost());
}

// What a reader is told of runs that are named by themselves.
TEST(Groups, RunsThatAreNotWellAreTold) {
  const auto notesOf = [](const std::string &lines) {
    const RunFolder folder(lines);
    folder.append("[settings]\nsteps = 3\n", "run.toml");
    return readComparison(std::vector{"a=" + folder.path}, "").notes;
  };
  const std::string step = "{\"step\":1,\"loss\":1}\n";
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notesOf(step + "{\"step\":3,\"loss\":1}\n"), Notes{});
  EXPECT_EQ(notesOf(step), Notes{"Not finished, and shown as far as they have come: 1 of the 1 runs of 'a'."});
  EXPECT_EQ(notesOf(step + "{\"step\":2,\"loss\":\"nan\"}\n"),
            Notes{"Without figures, as their last loss or norm of gradients is not finite: 1 of the 1 runs of 'a'."});
}

TEST(Groups, APathThatLeadsNowhereIsTold) {
  try {
    readGroup("/nowhere/at/all");
    ADD_FAILURE() << "a run that is not there is taken";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "'/nowhere/at/all' must be a run directory, but is not there");
  }
}

TEST(Groups, AListMayBeLongerThanAName) {
  RunFolder folder("{\"step\":1,\"loss\":3}\n");
  const std::string label(300, 'x');
  EXPECT_EQ(readGroup(label + "=" + folder.path).label, label);
}

TEST(Groups, ARunCountsOnce) {
  RunFolder folder("{\"step\":1,\"loss\":3}\n");
  try {
    readGroup("x=" + folder.path + "," + folder.path + "/.");
    ADD_FAILURE() << "the same folder twice is taken";
  } catch (const Error &error) {
    EXPECT_EQ(error.what(), "the runs of group 'x' must differ, but got '" + folder.path + "/.' again");
  }
}

TEST(Families, AreScoresByAKey) {
  const std::vector<RunGroup> groups{groupOf(
      R"({"step":1,"scores":{"a/k=8":[1,4],"a/k=16":[1,4],"a/k=1":[1,4],"a/n=2":[1,4],)"
      R"("b/a/k=2.5":[1,4],"b/a/k=1":[1,4],"a/k=x":[1,4],"a/k=+":[1,4],"a/k=9++":[1,4],"k=3":[1,4],"/k=3":[1,4],"a/=3":[1,4],)"
      R"("a/k=":[1,4],"c=1/d":[1,4],"a":[1,4]}})"
      "\n")};
  const std::vector<Family> families = familiesOf(groups);
  ASSERT_EQ(families.size(), 2u);
  EXPECT_EQ(families[0].title(), "a by k");
  ASSERT_EQ(families[0].members.size(), 3u);
  EXPECT_EQ(families[0].members[2].metric, "a/k=16");
  EXPECT_EQ(families[1].base, "b/a");
  EXPECT_EQ(families[1].members[1].value, 2.5);
}

TEST(Breakdowns, AreThreeScoresAndMoreOfOneQuantity) {
  const std::vector<RunGroup> groups{
      groupOf(R"({"step":1,"scores":{"a/k=8":[1,4],"a/k=16+":[1,4],"a/k=1":[1,4],"b/k=1":[1,4],)"
              R"("b/k=2":[1,4],"c/x":[1,4],"c/y":[1,4],"c/z":[1,4],"c/w":{"mean":1,"unit":"nats"},)"
              R"("d/x":[1,4],"d/y":[1,4],"c":[1,4]}})"
              "\n")};
  const std::vector<Breakdown> breakdowns = breakdownsOf(groups);
  ASSERT_EQ(breakdowns.size(), 2u);
  EXPECT_EQ(breakdowns[0].title, "a by k");
  EXPECT_EQ(breakdowns[0].columns[2].name, "k=16+");
  EXPECT_EQ(breakdowns[1].title, "c");
  ASSERT_EQ(breakdowns[1].columns.size(), 3u);
  EXPECT_EQ(breakdowns[1].columns[1].name, "y");
  EXPECT_EQ(breakdowns[1].columns[1].metric, "c/y");
}

// Columns that no group fills, neither there nor in the main table.
TEST(Breakdowns, LeaveOutWhatNoRunHas) {
  const std::vector<RunGroup> groups{
      groupOf(R"({"step":1,"scores":{"a/k=1":[1,4],"a/k=2":[1,4],"a/k=4":[0,0],"a/k=8":[1,4],"b/k=1":[1,4],)"
              R"("b/k=2":[1,4],"b/k=3":[0,0]}})"
              "\n")};
  const std::vector<Breakdown> breakdowns = breakdownsOf(groups);
  ASSERT_EQ(breakdowns.size(), 1u);
  ASSERT_EQ(breakdowns[0].columns.size(), 3u);
  EXPECT_EQ(breakdowns[0].columns[2].name, "k=8");
  EXPECT_EQ(compareTable(groups).header,
            (std::vector<std::string>{"run", "runs", "steps", "loss", "a/k=1\t%", "b/k=1\t%", "b/k=2\t%", "tokens/s"}));
}

TEST(Plots, KeysThatDoubleAreDrawnAtEqualSteps) {
  EXPECT_TRUE(spreadsGeometrically(std::vector<double>{1, 2, 4, 8}));
  EXPECT_FALSE(spreadsGeometrically(std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(spreadsGeometrically(std::vector<double>{0, 1, 10}));
  EXPECT_FALSE(spreadsGeometrically(std::vector<double>{1, 10}));
}

TEST(Plots, LogarithmicTicksCover) {
  for (const auto &[low, high] : {std::pair{50000.0, 3e6}, {0.3, 0.4}, {1.0, 1e9}, {7.0, 7.0}, {100.0, 100000.0}}) {
    const PlotAxis axis = logarithmicAxis("x", low, high);
    ASSERT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.front().value, low * (1 + 1e-9));
    EXPECT_GE(axis.ticks.back().value, high * (1 - 1e-9));
    EXPECT_GE(axis.ticks.front().value, low / 5);
    EXPECT_LE(axis.ticks.size(), 12u);
    EXPECT_EQ(axis.at(axis.ticks.front().value), 0);
    EXPECT_EQ(axis.at(axis.ticks.back().value), 1);
  }
  EXPECT_EQ(logarithmicAxis("x", 50000, 3e6).ticks[1].text, "100k");
  EXPECT_EQ(tickText(1.5e6), "1.5M");
  EXPECT_EQ(tickText(2000), "2000");
}

TEST(SvgPlot, TicksAreRoundAndCover) {
  EXPECT_EQ(niceTicks(0, 600, 5), (std::vector<double>{0, 200, 400, 600}));
  EXPECT_EQ(niceTicks(0, 1, 5).back(), 1);
  EXPECT_EQ(niceTicks(0, 0, 5).back(), 1);
  EXPECT_EQ(niceTicks(-1.5, 3, 5).front(), -2);
  for (double high : {0.003, 0.7, 3.3, 19.0, 87500.0}) {
    std::vector<double> ticks = niceTicks(0, high, 5);
    EXPECT_GE(ticks.back(), high * (1 - 1e-9));
    EXPECT_LE(ticks.size(), 7u);
  }
}

// A falling straight line on 2 x 1 characters of 2 x 4 dots: from the upper left to the lower right corner.
TEST(TextPlot, DrawsBraille) {
  TextPlot plot;
  plot.title = "t";
  plot.columns = 2;
  plot.rows = 1;
  plot.xMax = 3;
  std::vector<TextCurve> curves{{"a", {{0, 1}, {3, 0}}}};
  std::string text = drawText(plot, curves);
  EXPECT_NE(text.find("     1 |\u2811a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a a: 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  plot.colour = true;
  EXPECT_NE(drawText(plot, curves).find("\033["), std::string::npos);
}

// What lies beyond an edge is left out, and stands in no other row.
TEST(TextPlot, EndsAtItsEdges) {
  TextPlot plot;
  plot.columns = 2;
  plot.rows = 3;
  plot.xMax = 3;
  for (const Point &last : {Point{4, 1}, Point{3, 1.5}, Point{3, -0.5}}) {
    std::vector<TextCurve> curves{{"a", {{last.step, last.value}}}};
    const std::string text = drawText(plot, curves);
    EXPECT_NE(text.find("     1 |  \n       |  \n     0 |  \n"), std::string::npos) << text;
  }
  std::vector<TextCurve> corner{{"a", {{3, 0}}}};
  EXPECT_NE(drawText(plot, corner).find("     0 | a\n"), std::string::npos);
}

static RunGroup groupWithScores(const std::string &label, const std::vector<double> &scores) {
  RunGroup group{label, {}};
  for (double score : scores) {
    group.runs.push_back(stretto::runtime::Run::starting(label));
    group.runs.back().scores["s"] = {"%", {{1, 50}, {2, score}}};
  }
  return group;
}

TEST(Findings, SayWhatWasFound) {
  auto find = [](const std::vector<double> &a, const std::vector<double> &b) {
    return describeFindings(groupWithScores("A", a), groupWithScores("B", b), "s");
  };
  EXPECT_EQ(find({90, 80}, {10, 30}), "s: A 90.0 / 80.0 %, B 10.0 / 30.0 %. The model A is ahead in 2 of 2 seeds, on "
                                      "average 65.0 points higher.");
  EXPECT_EQ(find({10}, {30}), "s: A 10.0 %, B 30.0 %. The model A is behind in 1 of 1 seed, on average 20.0 points "
                              "lower.");
  EXPECT_EQ(find({10, 50, 7}, {30, 10, 7.5}), "s: A 10.0 / 50.0 / 7.0 %, B 30.0 / 10.0 / 7.5 %. No clear result: the "
                                              "model A is ahead in 1 of 3 seeds and behind in 1 of 3 seeds, on average "
                                              "6.5 points higher.");
  EXPECT_EQ(find({10, 20}, {10.5, 20}), "s: A 10.0 / 20.0 %, B 10.5 / 20.0 %. No difference that counts (less than one "
                                        "point in every seed).");
  EXPECT_EQ(find({11}, {10}),
            "s: A 11.0 %, B 10.0 %. The model A is ahead in 1 of 1 seed, on average 1.0 points higher.");
  EXPECT_EQ(find({10, 20}, {}), "No finding: s was not measured in all runs.");
}

TEST(Table, Forms) {
  Table table{{"run", "loss"}, {{"a|<b>", "1.5"}, {"c", "10.25"}}};
  EXPECT_EQ(plainTable(table), "run     loss\na|<b>    1.5\nc      10.25\n");
  EXPECT_EQ(markdownTable(table), "| run | loss |\n|---|---:|\n| a\\|<b> | 1.5 |\n| c | 10.25 |\n");
  EXPECT_NE(htmlTable(table).find("<td>a|&lt;b&gt;</td>"), std::string::npos);
  Table remarks{{"run", "a\t%"}, {{"x", "1\t(2)"}}};
  EXPECT_EQ(plainTable(remarks), "run    a %\nx    1 (2)\n");
  EXPECT_EQ(markdownTable(remarks), "| run | a % |\n|---|---:|\n| x | 1 (2) |\n");
  EXPECT_NE(htmlTable(remarks).find("<td>1<br><small>(2)</small></td>"), std::string::npos);
}
