// The rate of floating point operations that this machine reaches, as a yardstick for MFU.
#pragma once

#include "runtime/core/device.h"

namespace stretto::runtime {

// Operations per second of the best of some large matmuls of that type; goes on while they become quicker, as
// they do where the machine was busy at first.
double measurePeak(Device &device, int32_t dtype);

// The best rate seen so far. What was measured on a busy machine is too low; a step that is quicker raises it, so that
// no utilisation is above 1.
class PeakRate {
public:
  // `measured`: operations per second; 0: unknown.
  explicit PeakRate(double measured) : peak(measured) {}

  // Utilisation of steps of `flops` operations that take `mean` seconds each, the latest `seconds`. 0: unknown.
  double utilisation(double flops, double seconds, double mean);
  double operationsPerSecond() const { return peak; }

private:
  double peak;
};

} // namespace stretto::runtime
