// Which rows go to which experts, in the order in which all matmuls of experts take them.
#pragma once

#include <cstdint>

namespace stretto::runtime::experts {

// A matrix in memory: rows `stride` elements apart.
struct Rows {
  void *data = nullptr;
  int64_t stride = 0, columns = 0;
  int32_t dtype = 0; // stretto_dtype
};

// A row that goes to an expert, and the number of the expert among those of the row.
struct Visit {
  int32_t row, part;
};

// Visits of all experts, one expert behind the other, rows in order.
class Routes {
public:
  // Bytes of memory for so many rows.
  static int64_t bytes(int64_t rows, int64_t experts, int64_t chosen);
  // A row goes to the experts whose gates are not zero, to the first `chosen` of them if these are more.
  Routes(int64_t rows, int64_t chosen, const Rows &gates, char *memory);

  const Visit *begin(int64_t expert) const { return visits + firsts[expert]; }
  const Visit *end(int64_t expert) const { return visits + firsts[expert + 1]; }
  // How many experts a row goes to.
  int64_t expertsOf(int64_t row) const { return counts[row]; }

private:
  Visit *visits;
  int32_t *counts; // of experts, by row
  int32_t *firsts; // of visits, by expert, and their end
};

} // namespace stretto::runtime::experts
