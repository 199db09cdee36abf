// stretto-compare: puts training runs side by side.
#include "tools/compare/differences.h"
#include "tools/compare/report.h"
#include "tools/compare/table.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace stretto;

static void run(const std::vector<std::string> &arguments, const std::string &output) {
  std::vector<Group> groups;
  for (const std::string &argument : arguments)
    groups.push_back(readGroup(argument));
  std::cout << plainTable(compareTable(groups));
  if (Table differences = differencesTable(groups); differences.header.size() > 1)
    std::cout << "\nsettings that differ\n" << plainTable(differences);
  if (output.empty())
    return;
  writeReport({"Comparison of runs", "", {{"", "", "plot.svg", groups}}}, output);
  std::cout << "report: " << output << "/report.html, " << output << "/report.md, " << output << "/plot.svg\n";
}

int main(int argc, char **argv) {
  CLI::App app("Puts runs side by side: a table of how they ended and plots of how they went.", "stretto compare");
  std::vector<std::string> arguments;
  std::string output = "compare";
  bool tableOnly = false;
  app.add_option("runs", arguments,
                 "run directories; label=folder,folder,... shows several (say, the seeds of a model) as one")
      ->required();
  app.add_option("-o,--output", output, "folder of the report")->capture_default_str();
  app.add_flag("--table", tableOnly, "only print the table");
  try {
    app.parse(argc, argv);
    run(arguments, tableOnly ? "" : output);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    std::cerr << "stretto compare: error: " << error.what() << "\n";
    return 2;
  } catch (const Error &error) {
    std::cerr << "stretto compare: error: " << error.what() << "\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
