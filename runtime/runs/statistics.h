// Statistics of a few numbers: their median, and how sure one can be of their mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stretto::runtime {

// The t at which Student's distribution with so many degrees of freedom (>= 1) has 95 % of its mass in -t..t.
double studentQuantile(int64_t freedom);

// Half the width of the 95 % confidence interval of the mean of independent normal values: t(n - 1) standard errors.
// NAN for fewer than two.
double halfInterval(std::span<const double> values);

// The middle one, or the mean of the two in the middle. There has to be a value.
double median(std::vector<double> values);

} // namespace stretto::runtime
