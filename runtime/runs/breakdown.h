// Scores that take one quantity apart, and so read better in a table of their own than as columns of the main one.
#pragma once

#include "runtime/runs/families.h"

namespace stretto::runtime {

struct Breakdown {
  struct Column {
    std::string name, metric;
  };
  std::string title;
  std::vector<Column> columns; // at least three
};

// Families by a key ("accuracy by k"), then scores "<base>/<part>" with three and more parts ("bits",
// "generated/wrong").
std::vector<Breakdown> breakdownsOf(std::span<const RunGroup> groups);

} // namespace stretto::runtime
