// From the arguments of `stretto compare` to groups of runs.
#pragma once

#include "runtime/runs/curves.h"

namespace stretto::runtime {

struct Comparison {
  std::vector<RunGroup> groups;
  std::vector<std::string> notes; // what the reader has to know about them, a sentence each
};

// An argument is a run directory, "label=folder,folder,..." or a sweep directory. A sweep is taken apart: runs that
// differ in the seed alone are one group, labelled by what differs. `best` names an axis of which each group is shown
// at the value with the best mean of its headline score (its first one; without scores the held-out loss); "" stands
// for "lr" where a sweep has several, "none" for no choice. Runs of a sweep that have written nothing yet are left out
// with a note; a value of which runs are missing, unfinished or lost is chosen only where there is no other. Throws
// Error.
Comparison readComparison(std::span<const std::string> arguments, const std::string &best);

} // namespace stretto::runtime
