// What a comparison found, in words.
#include "runtime/runs/findings.h"

#include "runtime/core/counted.h"

#include <fmt/format.h>

#include <cmath>

namespace stretto::runtime {

static std::string listValues(const Figure &figure) {
  std::string text;
  for (double value : figure.values)
    text += fmt::format("{}{:.1f}", text.empty() ? "" : " / ", value);
  return text;
}

static std::string countSeeds(size_t count, size_t all) { return fmt::format("{} of {}", count, counted(all, "seed")); }

std::string describeFindings(const RunGroup &first, const RunGroup &second, const std::string &score) {
  Figure a = finalFigure(first, score), b = finalFigure(second, score);
  if (a.values.size() != b.values.size() || a.values.empty())
    return fmt::format("No finding: {} was not measured in all runs.", score);
  size_t ahead = 0, behind = 0, all = a.values.size();
  for (size_t i = 0; i < all; ++i) {
    ahead += a.values[i] - b.values[i] >= 1;
    behind += b.values[i] - a.values[i] >= 1;
  }
  std::string text =
      fmt::format("{}: {} {} %, {} {} %. ", score, first.label, listValues(a), second.label, listValues(b));
  double difference = a.mean() - b.mean();
  std::string average = std::abs(difference) < 0.05 ? "on average equal"
                                                    : fmt::format("on average {:.1f} points {}", std::abs(difference),
                                                                  difference > 0 ? "higher" : "lower");
  if (ahead == all)
    text += fmt::format("The model {} is ahead in {}, {}.", first.label, countSeeds(all, all), average);
  else if (behind == all)
    text += fmt::format("The model {} is behind in {}, {}.", first.label, countSeeds(all, all), average);
  else if (ahead == 0 && behind == 0)
    text += "No difference that counts (less than one point in every seed).";
  else
    text += fmt::format("No clear result: the model {} is ahead in {} and behind in {}, {}.", first.label,
                        countSeeds(ahead, all), countSeeds(behind, all), average);
  return text;
}

} // namespace stretto::runtime
