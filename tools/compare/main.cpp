// stretto-compare: puts training runs side by side.
#include "runtime/core/nearest.h"
#include "tools/compare/differences.h"
#include "tools/compare/report.h"
#include "tools/compare/table.h"
#include "tools/compare/text_plot.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>
#include <unistd.h>

using namespace stretto;

static std::string textPlot(const std::vector<Group> &groups, const std::string &metric) {
  const char *noColour = std::getenv("NO_COLOR");
  TextPlot plot;
  plot.title = isLoss(metric) ? metric : metric + ", %";
  plot.yMax = isLoss(metric) ? 0 : 100;
  plot.colour = isatty(STDOUT_FILENO) && !(noColour && *noColour);
  std::vector<TextCurve> curves;
  for (const Group &group : groups) {
    curves.push_back({group.label, thin(meanCurve(group, metric), 300)});
    for (const Point &point : curves.back().points) {
      plot.xMax = std::max(plot.xMax, point.step);
      plot.yMax = std::max(plot.yMax, point.value);
    }
  }
  return "\n" + drawText(plot, curves);
}

static void run(const std::vector<std::string> &arguments, const std::string &output, bool plots) {
  std::vector<Group> groups;
  for (const std::string &argument : arguments)
    groups.push_back(readGroup(argument));
  std::cout << plainTable(compareTable(groups));
  if (Table differences = differencesTable(groups); differences.header.size() > 1)
    std::cout << "\nsettings that differ\n" << plainTable(differences);
  if (plots)
    for (const std::string &metric : metricsOf(groups))
      std::cout << textPlot(groups, metric);
  if (output.empty())
    return;
  writeReport({"Comparison of runs", "", {{"", "", "plot.svg", groups}}}, output);
  std::cout << "report: " << output << "/report.html, " << output << "/report.md, " << output << "/plot.svg\n";
}

// What CLI11 says about an unknown option, with the nearest one.
static std::string optionError(const CLI::App &app, const CLI::Error &error, std::span<char *const> words) {
  if (dynamic_cast<const CLI::ExtrasError *>(&error) == nullptr)
    return error.what();
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (std::string word : words.subspan(1))
    if (const std::string name = word.substr(0, word.find('=')); name.starts_with("--") && std::ranges::find(names, name) == names.end())
      return "no option is called '" + name + "'" + suggestName(name, names);
  return error.what();
}

int main(int argc, char **argv) {
  CLI::App app("Puts runs side by side: a table of how they ended and plots of how they went.", "stretto compare");
  std::vector<std::string> arguments;
  std::string output = "compare";
  bool tableOnly = false, plots = false;
  app.add_option("runs", arguments,
                 "run directories; label=folder,folder,... shows several (say, the seeds of a model) as one")
      ->required();
  app.add_option("-o,--output", output, "folder of the report")->capture_default_str();
  app.add_flag("--table", tableOnly, "write no report");
  app.add_flag("--plot", plots, "draw the curves as text, too");
  try {
    app.parse(argc, argv);
    run(arguments, tableOnly ? "" : output, plots);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    std::cerr << "stretto compare: error: " << optionError(app, error, {argv, static_cast<size_t>(argc)}) << "\n";
    return 2;
  } catch (const Error &error) {
    std::cerr << "stretto compare: error: " << error.what() << "\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
