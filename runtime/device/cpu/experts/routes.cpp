// Visits sorted by their experts, in two passes over the gates.
#include "runtime/device/cpu/experts/routes.h"

#include "runtime/abi/abi.h"

#include <algorithm>

namespace stretto::runtime::experts {
namespace {

template <typename Real, typename Work>
void eachVisit(int64_t rows, int64_t chosen, const Rows &gates, const Work &work) {
  for (int64_t row = 0; row < rows; ++row) {
    const Real *gate = static_cast<const Real *>(gates.data) + row * gates.stride;
    int64_t part = 0;
    for (int64_t expert = 0; expert < gates.columns && part < chosen; ++expert)
      if (gate[expert] != 0)
        work(expert, Visit{static_cast<int32_t>(row), static_cast<int32_t>(part++)});
  }
}

template <typename Work> void eachVisit(int64_t rows, int64_t chosen, const Rows &gates, const Work &work) {
  if (gates.dtype == STRETTO_F64)
    eachVisit<double>(rows, chosen, gates, work);
  else
    eachVisit<float>(rows, chosen, gates, work);
}

} // namespace

int64_t Routes::bytes(int64_t rows, int64_t experts, int64_t chosen) {
  return rows * chosen * static_cast<int64_t>(sizeof(Visit)) +
         (rows + experts + 2) * static_cast<int64_t>(sizeof(int32_t));
}

Routes::Routes(int64_t rows, int64_t chosen, const Rows &gates, char *memory)
    : visits(reinterpret_cast<Visit *>(memory)), counts(reinterpret_cast<int32_t *>(visits + rows * chosen)),
      firsts(counts + rows) {
  std::fill_n(counts, rows, 0);
  int32_t *const next =
      firsts + 1; // where the next visit of an expert lies; in the end, where those of the one behind it begin
  std::fill_n(firsts, gates.columns + 2, 0);
  eachVisit(rows, chosen, gates, [&](int64_t expert, Visit visit) {
    ++counts[visit.row];
    ++next[expert + 1];
  });
  for (int64_t expert = 1; expert < gates.columns; ++expert)
    next[expert] += next[expert - 1];
  eachVisit(rows, chosen, gates, [&](int64_t expert, Visit visit) { visits[next[expert]++] = visit; });
}

} // namespace stretto::runtime::experts
