// The figures of a report.
#pragma once

#include "runtime/runs/families.h"

namespace stretto::runtime {

// A figure as SVG, and what a reader has to know to read it.
struct Plot {
  std::string name; // of its file: "" for the curves, else what follows a dash
  std::string caption, svg;
};

// Those that the groups have data for: learning curves (loss and every score, a panel each); scores by a key (a panel
// for each family); bits that were learned against the number of parameters, where that differs.
std::vector<Plot> plotsOf(std::span<const RunGroup> groups);

// Thin lines for the runs of a group, a thick one for their mean where there are several. At most 300 points of a curve
// are drawn; more are averaged.
Plot curvesPlot(std::span<const RunGroup> groups);

// A line per group at the end of its runs, with bars for the 95 % interval.
Plot keysPlot(std::span<const RunGroup> groups, std::span<const Family> families);

// A mark per run; no panels (and no SVG) where no score is in bits/parameter or all runs have one size.
Plot bitsPlot(std::span<const RunGroup> groups);

// Whether values spread more evenly in their logarithms than as they are; false where one is not positive.
bool spreadsGeometrically(std::span<const double> values);

} // namespace stretto::runtime
