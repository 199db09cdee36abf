// The report: a folder with the plots, report.md and report.html.
#pragma once

#include "runtime/runs/curves.h"

#include <filesystem>

namespace stretto::runtime {

// Tables and plots of some groups, with a heading and text around them.
struct Section {
  std::string title, text; // paragraphs separated by empty lines; no markup
  std::string plotFile;    // name of the SVG of the curves; other plots get its stem and a word of their own
  std::vector<RunGroup> groups;
};

struct Report {
  std::string title, text;
  std::vector<Section> sections;
};

// Writes report.md, report.html (one file with the plots in it) and the SVG of every plot. Makes the folder where it is
// missing. Returns the names of the SVG files. Throws Error where something cannot be written.
std::vector<std::string> writeReport(const Report &report, const std::filesystem::path &folder);

} // namespace stretto::runtime
