// stretto-compare: puts training runs side by side.
#include "runtime/core/colour.h"
#include "runtime/runs/differences.h"
#include "runtime/runs/groups.h"
#include "runtime/runs/report.h"
#include "runtime/runs/table.h"
#include "runtime/runs/text_plot.h"
#include "tools/support/tool_main.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <unistd.h>

using namespace stretto;

namespace {
struct Options {
  std::vector<std::string> arguments;
  std::string output = "compare", best;
  bool tableOnly = false, plots = false;
};
} // namespace

static std::string textPlot(const std::vector<runtime::RunGroup> &groups, const std::string &metric) {
  runtime::TextPlot plot;
  const std::string unit = runtime::unitOf(groups, metric);
  plot.title = unit.empty() ? metric : metric + ", " + unit;
  plot.yMax = unit == "%" ? 100 : 0;
  plot.colour = runtime::wantsColour(STDOUT_FILENO);
  std::vector<runtime::TextCurve> curves;
  for (const runtime::RunGroup &group : groups) {
    curves.push_back({group.label, runtime::thin(runtime::meanCurve(group, metric), 300)});
    for (const runtime::Point &point : curves.back().points) {
      plot.xMax = std::max(plot.xMax, point.step);
      plot.yMax = std::max(plot.yMax, point.value);
      plot.yMin = std::min(plot.yMin, point.value);
    }
  }
  if (!(plot.yMax > plot.yMin))
    plot.yMax = plot.yMin + 1;
  return "\n" + runtime::drawText(plot, curves);
}

static void printTables(const runtime::Comparison &comparison) {
  const std::vector<runtime::RunGroup> &groups = comparison.groups;
  const runtime::Table differences = runtime::differencesTable(groups);
  std::cout << runtime::plainTable(runtime::compareTable(groups));
  for (const runtime::Breakdown &breakdown : runtime::breakdownsOf(groups))
    std::cout << "\n" << runtime::plainTable(runtime::breakdownTable(groups, breakdown));
  if (differences.header.size() > 1)
    std::cout << "\nsettings that differ\n" << runtime::plainTable(differences);
  std::cout << "\n";
  if (const std::string legend = runtime::tableLegend(groups); !legend.empty())
    std::cout << legend << "\n";
  for (const std::string &note : comparison.notes)
    std::cout << note << "\n";
}

static void run(const Options &options) {
  const runtime::Comparison comparison = runtime::readComparison(options.arguments, options.best);
  printTables(comparison);
  if (options.plots)
    for (const std::string &metric : runtime::metricsOf(comparison.groups))
      std::cout << textPlot(comparison.groups, metric);
  if (options.tableOnly)
    return;
  std::string notes;
  for (const std::string &note : comparison.notes)
    notes += (notes.empty() ? "" : "\n\n") + note;
  const std::vector<std::string> plots =
      runtime::writeReport({"Comparison of runs", notes, {{"", "", "plot.svg", comparison.groups}}}, options.output);
  std::cout << "report: " << options.output << "/report.html, " << options.output << "/report.md";
  for (const std::string &plot : plots)
    std::cout << ", " << options.output << "/" << plot;
  std::cout << "\n";
}

int main(int argc, char **argv) {
  CLI::App app("Puts runs side by side: a table of how they ended and plots of how they went.", "stretto compare");
  Options options;
  app.add_option("runs", options.arguments,
                 "run directories; label=folder,folder,... shows several (say, the seeds of a model) as one; a sweep "
                 "directory is taken apart")
      ->required()
      ->type_name("RUN");
  app.add_option("-o,--output", options.output, "folder of the report")->capture_default_str()->type_name("FOLDER");
  app.add_option("--best", options.best,
                 "the axis of which the best value is shown for each setting of a sweep (default: lr where a sweep has "
                 "several); none: show all")
      ->type_name("AXIS");
  app.add_flag("--table", options.tableOnly, "write no report");
  app.add_flag("--plot", options.plots, "draw the curves as text, too");
  return tools::runTool(app, argc, argv, [&] { run(options); });
}
