// Arithmetic on numbers: exact on ints and their quotients.
#include "frontend/sema/Numbers.h"

#include <cmath>
#include <numeric>

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// numerator / denominator in lowest terms with a positive denominator.
struct Fraction {
  int64_t numerator, denominator;
};

Fraction toFraction(const Value &value) {
  if (auto *integer = value.get<int64_t>())
    return {*integer, 1};
  const Rational *rational = value.get<Rational>();
  return {rational->numerator, rational->denominator};
}

bool multiply(int64_t a, int64_t b, int64_t &result) { return !__builtin_mul_overflow(a, b, &result); }

/// a/b (op) c/d; false if it does not fit or divides by zero.
bool computeFraction(BinaryOperator op, Fraction x, Fraction y, Fraction &result) {
  int64_t left, right;
  switch (op) {
  case BinaryOperator::Add:
  case BinaryOperator::Subtract:
    if (!multiply(x.numerator, y.denominator, left) || !multiply(y.numerator, x.denominator, right) ||
        !multiply(x.denominator, y.denominator, result.denominator))
      return false;
    return op == BinaryOperator::Add ? !__builtin_add_overflow(left, right, &result.numerator)
                                     : !__builtin_sub_overflow(left, right, &result.numerator);
  case BinaryOperator::Multiply:
    return multiply(x.numerator, y.numerator, result.numerator) &&
           multiply(x.denominator, y.denominator, result.denominator);
  default: // Divide
    return multiply(x.numerator, y.denominator, result.numerator) &&
           multiply(x.denominator, y.numerator, result.denominator);
  }
}

Value normalized(Fraction fraction, SourceRange division, std::string &problem) {
  auto [numerator, denominator] = fraction;
  if (numerator == INT64_MIN || denominator == INT64_MIN) {
    problem = "the result does not fit an int";
    return {};
  }
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  int64_t divisor = std::gcd(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (denominator == 1)
    return numerator;
  return Rational{numerator, denominator, division};
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
  Fraction x = toFraction(a), y = toFraction(b), result{};
  if (isComparison(op))
    return compare(op, static_cast<__int128>(x.numerator) * y.denominator,
                   static_cast<__int128>(y.numerator) * x.denominator);
  if (!computeFraction(op, x, y, result)) {
    problem = "the result does not fit an int";
    return {};
  }
  SourceRange division = a.get<Rational>()   ? a.get<Rational>()->division
                         : b.get<Rational>() ? b.get<Rational>()->division
                                             : range;
  return normalized(result, division, problem);
}
