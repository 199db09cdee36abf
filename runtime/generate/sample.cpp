// Drawing a token from a distribution.
#include "runtime/generate/sample.h"

#include "runtime/core/error.h"
#include "runtime/core/philox.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stretto::runtime {

// Streams 0 and 1 of a seed are data, see Stream.
static constexpr uint32_t drawStream = 2;

int32_t drawToken(std::span<const double> scores, double temperature, const DrawPlace &place) {
  const auto highest = std::max_element(scores.begin(), scores.end());
  if (!std::isfinite(*highest) ||
      std::any_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); }))
    failDraw(place);
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

void failDraw(const DrawPlace &place) {
  throw Error(
      fmt::format("prompt {}, position {}: the scores of the next token must be numbers, but the model computes "
                  "others (--check-finite names the first op that goes wrong)",
                  place.prompt + 1, place.position));
}

} // namespace stretto::runtime
