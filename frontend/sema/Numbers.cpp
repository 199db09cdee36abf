// Arithmetic on numbers: exact on ints and their quotients.
#include "frontend/sema/Numbers.h"

#include <cmath>
#include <utility>

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Holds sums of two products of ints.
using Wide = __int128;

/// numerator / denominator.
struct Fraction {
  Wide numerator, denominator;
};

Fraction toFraction(const Value &value) {
  if (auto *integer = value.get<int64_t>())
    return {*integer, 1};
  const Rational *rational = value.get<Rational>();
  return {rational->numerator, rational->denominator};
}

/// x (op) y of fractions of ints, not in lowest terms.
Fraction computeFraction(BinaryOperator op, Fraction x, Fraction y) {
  switch (op) {
  case BinaryOperator::Add:
    return {x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator};
  case BinaryOperator::Subtract:
    return {x.numerator * y.denominator - y.numerator * x.denominator, x.denominator * y.denominator};
  case BinaryOperator::Multiply:
    return {x.numerator * y.numerator, x.denominator * y.denominator};
  default: // Divide
    return {x.numerator * y.denominator, x.denominator * y.numerator};
  }
}

Wide magnitude(Wide number) { return number < 0 ? -number : number; }

/// The greatest one; of 0 and b it is b.
Wide commonDivisor(Wide a, Wide b) {
  while (a != 0)
    b = std::exchange(a, b % a);
  return b;
}

/// In lowest terms with a positive denominator, if the terms are ints.
Value normalized(Fraction fraction, SourceRange division, std::string &problem) {
  const Wide divisor = commonDivisor(magnitude(fraction.numerator), magnitude(fraction.denominator));
  const Wide numerator = fraction.numerator / (fraction.denominator < 0 ? -divisor : divisor);
  const Wide denominator = magnitude(fraction.denominator) / divisor;
  if (magnitude(numerator) > INT64_MAX || denominator > INT64_MAX) {
    problem = "the result does not fit an int";
    return {};
  }
  if (denominator == 1)
    return int64_t(numerator);
  return Rational{int64_t(numerator), int64_t(denominator), division};
}

template <typename T>
Value compare(BinaryOperator op, T a, T b) {
  switch (op) {
  case BinaryOperator::Equal:
    return a == b;
  case BinaryOperator::NotEqual:
    return a != b;
  case BinaryOperator::Less:
    return a < b;
  case BinaryOperator::LessEqual:
    return a <= b;
  case BinaryOperator::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

Value computeFloats(BinaryOperator op, double a, double b, std::string &problem) {
  double result = 0;
  switch (op) {
  case BinaryOperator::Add:
    result = a + b;
    break;
  case BinaryOperator::Subtract:
    result = a - b;
    break;
  case BinaryOperator::Multiply:
    result = a * b;
    break;
  default:
    result = a / b;
    break;
  }
  if (std::isfinite(result))
    return result;
  problem = "the result is not a finite float";
  return {};
}

Value remainder(const Value &a, const Value &b, std::string &problem) {
  auto *x = a.get<int64_t>();
  auto *y = b.get<int64_t>();
  if (x && y && *y > 0) {
    int64_t rest = *x % *y;
    return rest < 0 ? rest + *y : rest;
  }
  problem = "'%' takes an int and a positive int, but got " + toString(a) + " and " + toString(b);
  return {};
}

} // namespace

Value frontend::computeNumbers(BinaryOperator op, const Value &a, const Value &b, SourceRange range,
                               std::string &problem) {
  if (op == BinaryOperator::Remainder)
    return remainder(a, b, problem);
  if (op == BinaryOperator::Divide && toFloat(b) == 0) {
    problem = "division by zero";
    return {};
  }
  if (a.get<double>() || b.get<double>())
    return isComparison(op) ? compare(op, toFloat(a), toFloat(b)) : computeFloats(op, toFloat(a), toFloat(b), problem);
  Fraction x = toFraction(a), y = toFraction(b);
  if (isComparison(op))
    return compare(op, x.numerator * y.denominator, y.numerator * x.denominator);
  SourceRange division = a.get<Rational>()   ? a.get<Rational>()->division
                         : b.get<Rational>() ? b.get<Rational>()->division
                                             : range;
  return normalized(computeFraction(op, x, y), division, problem);
}
