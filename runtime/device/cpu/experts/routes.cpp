// Visits sorted by their experts and parts, in two passes over the gates.
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
         (rows + experts * chosen + 2) * static_cast<int64_t>(sizeof(int32_t));
}

// In the first pass, `next` counts the visits of the expert and part before; summed up, that is where their own begin.
// In the second one it goes on from visit to visit, and ends where those of the next expert and part begin.
Routes::Routes(int64_t rows, int64_t chosen, const Rows &gates, char *memory)
    : chosen(chosen), visits(reinterpret_cast<Visit *>(memory)),
      counts(reinterpret_cast<int32_t *>(visits + rows * chosen)), firsts(counts + rows) {
  const int64_t keys = gates.columns * chosen;
  int32_t *const next = firsts + 1;
  std::fill_n(counts, rows, 0);
  std::fill_n(firsts, keys + 2, 0);
  eachVisit(rows, chosen, gates, [&](int64_t expert, Visit visit) {
    ++counts[visit.row];
    ++next[expert * chosen + visit.part + 1];
  });
  for (int64_t key = 1; key < keys; ++key)
    next[key] += next[key - 1];
  eachVisit(rows, chosen, gates,
            [&](int64_t expert, Visit visit) { visits[next[expert * chosen + visit.part]++] = visit; });
}

} // namespace stretto::runtime::experts
