// Scores: what is measured over instances, with how sure one can be of it. Headers alone, as tasks are built without
// the runtime's library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace stretto::runtime {

// The ends of a 95 % confidence interval.
struct Interval {
  double low = 0, high = 0;
};

// One measured quantity. A share counts right instances among all; a mean averages numbers; a value was derived from
// others and has no interval of its own.
struct Score {
  enum class Kind : uint8_t { Share, Mean, Value };
  std::string name;
  Kind kind = Kind::Share;
  std::string unit{}; // of a mean or a value, e.g. "nats" or "%"; empty: a plain number
  int64_t count = 0;  // instances
  double sum = 0;     // of their numbers; of a share: how many are right
  double squares = 0; // of a mean: the sum of the numbers' squares

  static Score share(std::string name, int64_t right = 0, int64_t total = 0) {
    return {std::move(name), Kind::Share, {}, total, static_cast<double>(right), 0};
  }
  static Score mean(std::string name, std::string unit) { return {std::move(name), Kind::Mean, std::move(unit)}; }
  static Score value(std::string name, std::string unit, double value) {
    return {std::move(name), Kind::Value, std::move(unit), 1, value, 0};
  }

  // One more instance of a share.
  void addInstance(bool isRight) {
    ++count;
    sum += isRight;
  }
  // One more instance of a mean.
  void addNumber(double number) {
    ++count;
    sum += number;
    squares += number * number;
  }
  // The instances of another part of the data under the same name.
  void merge(const Score &other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }

  int64_t right() const { return static_cast<int64_t>(sum); }
  // sum / count; 0 where there are no instances.
  double result() const { return count ? sum / static_cast<double>(count) : 0; }

  // Of a share: Wilson's score interval (Wilson: "Probable inference, the law of succession, and statistical
  // inference", 1927); of a mean: 1.96 standard errors to both sides; of a value, or without instances: the result.
  Interval interval() const {
    if (kind == Kind::Value || count == 0)
      return {result(), result()};
    return kind == Kind::Share ? wilson() : normal();
  }

private:
  static constexpr double quantile = 1.959963984540054; // of the normal distribution at 0.975

  Interval wilson() const {
    const double n = static_cast<double>(count), p = result(), z = quantile;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
  }
  Interval normal() const {
    const double n = static_cast<double>(count), mean = result();
    const double variance = count > 1 ? std::max(0.0, (squares - n * mean * mean) / (n - 1)) : 0;
    const double half = quantile * std::sqrt(variance / n);
    return {mean - half, mean + half};
  }
};

} // namespace stretto::runtime
