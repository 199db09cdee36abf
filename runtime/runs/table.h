// The table that puts groups of runs side by side.
#pragma once

#include "runtime/runs/breakdown.h"

namespace stretto::runtime {

// A cell may have two parts, separated by a tab: a value and, lesser, a remark on it. In HTML they stand below each
// other.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// One row per group: name, what was chosen for it, number of parameters (where that differs), runs, steps, loss, every
// score, speed. Figures of several runs: the mean, half of its 95 % interval and, in brackets, the lowest and the
// highest. Of a breakdown, which has a table of its own, only the headlines of the groups are here.
Table compareTable(std::span<const RunGroup> groups);

// One row per group.
Table breakdownTable(std::span<const RunGroup> groups, const Breakdown &breakdown);

// How to read the figures; "" where no group has several runs.
std::string tableLegend(std::span<const RunGroup> groups);

// For terminals (columns aligned), Markdown and HTML. The first column is text, the others are figures.
std::string plainTable(const Table &table);
std::string markdownTable(const Table &table);
std::string htmlTable(const Table &table);

// Text with &, <, > and quotes escaped for HTML, XML and SVG, and without control signs, which these cannot hold.
std::string escapeXml(const std::string &text);

} // namespace stretto::runtime
