// Drawing a token from a distribution.
#include "runtime/generate/sample.h"

#include "runtime/core/philox.h"

#include <algorithm>
#include <cmath>

namespace stretto::runtime {

// Streams 0 and 1 of a seed are data, see Stream.
static constexpr uint32_t drawStream = 2;

int32_t drawToken(std::span<const double> scores, double temperature, const DrawPlace &place) {
  const auto highest = std::max_element(scores.begin(), scores.end());
  if (temperature == 0)
    return static_cast<int32_t>(highest - scores.begin());
  auto weight = [&](double score) { return std::exp((score - *highest) / temperature); };
  double total = 0;
  for (double score : scores)
    total += weight(score);
  const PhiloxCounter words = philox(
      {place.position, drawStream, static_cast<uint32_t>(place.prompt), static_cast<uint32_t>(place.prompt >> 32)},
      philoxKey(place.seed));
  double left = openUniform(words[0], words[1]) * total;
  for (size_t token = 0; token < scores.size(); ++token)
    if ((left -= weight(scores[token])) < 0)
      return static_cast<int32_t>(token);
  return static_cast<int32_t>(highest - scores.begin()); // only rounding leads here
}

} // namespace stretto::runtime
