// Who lives, by the texts that ranks leave and count up.
#include "runtime/dist/pulses.h"

namespace stretto::runtime {

void Pulses::see(int rank, const std::string &text, Time now) {
  if (seen[rank].text != text)
    seen[rank] = {text, now, seen[rank].isDone};
}

std::optional<int> Pulses::silent(std::span<const int> ranks, Span longer, Time now) const {
  for (int rank : ranks)
    if (!seen[rank].isDone && now - seen[rank].since > longer)
      return rank;
  return std::nullopt;
}

void Pulses::forgive(Time now) {
  for (Seen &one : seen)
    one.since = now;
}

} // namespace stretto::runtime
