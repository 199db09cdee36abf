// The small program on several ranks that share its moments.
#pragma once

#include "test/support/memory_group.h"
#include "test/unit/runtime/small.h"

namespace stretto::test {

// Ends of the ranges of ranks among the 32 elements of the small program that are trained: they cut both tensors, and
// one range is empty.
inline std::vector<int64_t> rangeEnds(int ranks) {
  switch (ranks) {
  case 1:
    return {32};
  case 2:
    return {3, 32};
  case 3:
    return {3, 17, 32};
  case 4:
    return {3, 3, 17, 32};
  default:
    return {1, 2, 5, 16, 17, 19, 24, 32};
  }
}

// One rank of several.
class SmallRank {
public:
  SmallRank(int rank, int ranks, float first = 1) : program(first) {
    const std::vector<int64_t> ends = rangeEnds(ranks);
    own = {rank ? ends[rank - 1] : 0, ends[rank]};
    for (stretto_arena arena : {STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2}) {
      float *moments = static_cast<float *>(program.arenas.base(arena));
      std::copy(moments + own.begin, moments + own.end, moments);
      std::fill(moments + (own.end - own.begin), moments + 48, -1.0f);
    }
  }
  runtime::TrainingState state() { return {program.program, *program.device, program.arenas, {own}}; }

  // The numbers of this rank that lie in tensors: weights, then first and second moments.
  std::vector<float> numbers() const {
    std::vector<float> numbers;
    const std::vector<float> weights = program.values(STRETTO_ARENA_PARAMETERS);
    for (const auto &[begin, end] : {std::pair(0, 6), {16, 20}, {32, 34}})
      numbers.insert(numbers.end(), weights.begin() + begin, weights.begin() + end);
    for (stretto_arena arena : {STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
      for (int64_t element = own.begin; element < own.end; ++element)
        if (element < 6 || (element >= 16 && element < 20))
          numbers.push_back(program.values(arena)[element - own.begin]);
    return numbers;
  }

private:
  SmallProgram program;
  runtime::FlatRange own;
};

} // namespace stretto::test
