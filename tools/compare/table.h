// The table that puts groups of runs side by side.
#pragma once

#include "tools/compare/curves.h"

namespace stretto {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// One row per group: name, runs, steps, loss, every score, speed. Figures of several runs: the mean and, in
// brackets, the lowest and the highest.
Table compareTable(std::span<const Group> groups);

// For terminals (columns aligned), Markdown and HTML. The first column is text, the others are figures.
std::string plainTable(const Table &table);
std::string markdownTable(const Table &table);
std::string htmlTable(const Table &table);

// Text with &, <, > and quotes escaped for HTML, XML and SVG.
std::string escapeXml(const std::string &text);

} // namespace stretto
