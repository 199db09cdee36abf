// Steps that change nothing, told without a line for each.
#include "runtime/train/skipped_steps.h"

#include <bit>
#include <fmt/format.h>

namespace stretto::runtime {

static constexpr int64_t toldSingly = 4;

std::string SkippedSteps::add(int64_t step, double loss, double gradNorm) {
  ++count;
  last = step;
  if (count > toldSingly && !std::has_single_bit(static_cast<uint64_t>(count)))
    return "";
  told = count;
  return fmt::format(
      "step {} is skipped: its loss ({}) or the norm of its gradients ({}) is not finite{}", step, loss, gradNorm,
      count < toldSingly ? "" : fmt::format("; {} steps have been skipped, and not each further one is told", count));
}

std::string SkippedSteps::rest() const {
  return count == told ? "" : fmt::format("{} steps have been skipped, the last of them step {}", count, last);
}

} // namespace stretto::runtime
