//===- ParameterArenas.h - arenas that hold parameters, or are laid out like them ----===//
#pragma once

#include "ir/kern/KernOps.h"
#include "passes/support/ParameterLayout.h"

#include <array>

namespace stretto::codegen {

/// These arenas and what each takes, in bytes.
inline std::array<std::pair<kern::Arena, int64_t>, 8> parameterArenas(const passes::ParameterLayout &layout) {
  using kern::Arena;
  return {{{Arena::parameters, layout.totalBytes},
           {Arena::gradients, layout.trainableBytes},
           {Arena::moment1, layout.trainableBytes},
           {Arena::moment2, layout.trainableBytes},
           {Arena::accumulator, layout.trainableBytes},
           {Arena::rounded, layout.roundedBytes},
           {Arena::squares, layout.squaresBytes},
           {Arena::factors, layout.factorsBytes()}}};
}

} // namespace stretto::codegen
