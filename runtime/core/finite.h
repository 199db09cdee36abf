// Finds the first op that writes a NaN or an infinity, by the sites that a program announces its calls with.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/core/error.h"

#include <string>

namespace stretto::runtime {

class NonFiniteError : public Error {
public:
  using Error::Error;
};

class FiniteCheck : public OpObserver {
public:
  FiniteCheck(const Arenas &arenas, const stretto_program &program) : arenas(arenas), program(program) {}
  // Throws NonFiniteError naming the first weight, or moment of the optimizer, that is no finite number.
  void checkState() const;
  void before(const Op &) override {}
  // Throws NonFiniteError naming the op, its place in the source, its weight, and the element.
  void after(const Op &op, const CallSite &at, double seconds) override;
  bool looksAtResults() const override { return true; }

private:
  struct Bad {
    int64_t element;
    double value;
  };
  // The first number that is not finite in a result on the device; element: -1 where there is none.
  Bad firstBad(const void *data, const stretto_result &result) const;
  Bad firstBadOf(const LaunchOp &op, const stretto_result &result) const;
  std::string describe(const Op &op, const CallSite &at, const stretto_result &result, const Bad &bad) const;
  // The parameter whose values an op reads for an element, or which it writes; null where there is none.
  const stretto_parameter *parameterOf(const Op &op, const stretto_result &result, int64_t element) const;

  const Arenas &arenas;
  const stretto_program &program;
};

} // namespace stretto::runtime
