// What a comparison found, in words.
#pragma once

#include "runtime/runs/curves.h"

namespace stretto::runtime {

// Compares the last value of a score of two groups, seed by seed (run i of one against run i of the other), and says
// which was ahead, in how many seeds and by how much; a difference of less than one point counts as none.
std::string describeFindings(const RunGroup &first, const RunGroup &second, const std::string &score);

} // namespace stretto::runtime
