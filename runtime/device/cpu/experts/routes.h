// Which rows go to which experts, in the order in which all matmuls of experts take them.
#pragma once

#include "runtime/device/cpu/typed_rows.h"

#include <cstdint>

namespace stretto::runtime::experts {

struct Rows : TypedRows {
  int64_t columns = 0;
};

// A row that goes to an expert, and the number of the expert among those of the row.
struct Visit {
  int32_t row, part;
};

// Visits of all experts, one expert behind the other; those of an expert by their parts, then by rows.
class Routes {
public:
  // Bytes of memory for so many rows.
  static int64_t bytes(int64_t rows, int64_t experts, int64_t chosen);
  // A row goes to the experts whose gates are not zero, to the first `chosen` of them if these are more.
  Routes(int64_t rows, int64_t chosen, const Rows &gates, char *memory);

  const Visit *begin(int64_t expert) const { return begin(expert, 0); }
  const Visit *end(int64_t expert) const { return begin(expert + 1); }
  // Those that are the same part of their rows: all of different rows.
  const Visit *begin(int64_t expert, int64_t part) const { return visits + firsts[expert * chosen + part]; }
  const Visit *end(int64_t expert, int64_t part) const { return begin(expert, part + 1); }
  // How many experts a row goes to.
  int64_t expertsOf(int64_t row) const { return counts[row]; }

private:
  int64_t chosen;
  Visit *visits;
  int32_t *counts; // of experts, by row
  int32_t *firsts; // of visits, by expert and part, and where the last ones end
};

} // namespace stretto::runtime::experts
