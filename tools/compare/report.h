// The report: a folder with plot.svg, report.md and report.html.
#pragma once

#include "tools/compare/curves.h"

#include <filesystem>

namespace stretto {

// One table and one plot, with a heading and text around them.
struct Section {
  std::string title, text;        // paragraphs separated by empty lines; no markup
  std::string plotFile;           // name of the SVG in the folder
  std::vector<Group> groups;
};

struct Report {
  std::string title, text;
  std::vector<Section> sections;
};

// Writes report.md, report.html (one file with the plots in it) and the SVG of every section. Makes the folder where
// it is missing. Throws Error where something cannot be written.
void writeReport(const Report &report, const std::filesystem::path &folder);

} // namespace stretto
