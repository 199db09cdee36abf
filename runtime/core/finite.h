// Finds the first op that writes a NaN or an infinity. The ABI does not say what a kernel writes, so each
// arena has a shadow copy: what differs from it after an op is what the op wrote.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/core/error.h"

#include <array>
#include <cstddef>
#include <vector>

namespace stretto {

class NonFiniteError : public Error {
public:
  using Error::Error;
};

class FiniteCheck : public OpObserver {
public:
  // Needs as much host memory again as the arenas that ops write.
  FiniteCheck(const Arenas &arenas, const stretto_program &program);
  void before(const Op &) override {}
  // Throws NonFiniteError naming the op, its place in the source, and the tensor.
  void after(const Op &op) override;

private:
  void check(int arena, const std::string &writer);
  template <typename Real> int64_t firstBad(int arena, int64_t begin, int64_t end) const;
  std::string place(int arena, int64_t byte) const;

  const Arenas &arenas;
  const stretto_program &program;
  std::array<std::vector<std::byte>, STRETTO_ARENA_COUNT> shadows;
};

} // namespace stretto
