// The parameters of a program.
#pragma once

#include "runtime/abi/abi.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>

namespace stretto::runtime {

// In the order in which they lie in the flat arenas.
inline std::span<const stretto_parameter> parametersOf(const stretto_program &program) {
  return {program.parameters, static_cast<size_t>(program.parameter_count)};
}

inline int64_t elementsOf(const stretto_parameter &parameter) {
  return std::accumulate(parameter.shape, parameter.shape + parameter.rank, int64_t(1), std::multiplies());
}

// The one that has an element of the flat arenas; null for what lies between them.
inline const stretto_parameter *parameterAt(const stretto_program &program, int64_t element) {
  const std::span all = parametersOf(program);
  const auto behind = std::ranges::upper_bound(all, element, {}, &stretto_parameter::offset);
  if (behind == all.begin())
    return nullptr;
  const stretto_parameter &parameter = *std::prev(behind);
  return element < parameter.offset + elementsOf(parameter) ? &parameter : nullptr;
}

} // namespace stretto::runtime
