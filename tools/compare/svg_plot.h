// Curves as SVG that stands alone: no script, no font, no other file; light or dark as the reader's system is.
#pragma once

#include "tools/compare/curves.h"

namespace stretto {

// Loss and every score of all groups, a panel each: thin lines for the runs of a group, a thick one for their mean
// where there are several. At most 300 points of a curve are drawn; more are averaged.
std::string svgPlot(std::span<const Group> groups);

// Round numbers that divide low .. high into about `count` parts; the first is at most low, the last at least high.
std::vector<double> niceTicks(double low, double high, int count);

} // namespace stretto
