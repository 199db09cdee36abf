#include "runtime/train/peak.h"

#include <algorithm>
#include <chrono>

namespace stretto {

double measurePeak(Device &device, int32_t dtype) {
  constexpr int64_t size = 1024;
  constexpr int most = 24, enough = 6; // repetitions; and those in a row that bring nothing
  const int64_t bytes = size * size * elementBytes(dtype);
  void *data[3];
  for (void *&matrix : data) {
    matrix = device.allocate(bytes);
    device.submit(ZeroOp{matrix, bytes});
  }
  device.wait();
  double best = 1e30;
  for (int i = 0, idle = 0; i < most && idle < enough; ++i) {
    const auto start = std::chrono::steady_clock::now();
    device.submit(MatmulOp{dtype, dtype, size, size, size, size, size, size, false, false, false, data[0], data[1], data[2]});
    device.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    idle = seconds < 0.98 * best ? 0 : idle + 1;
    best = std::min(best, seconds);
  }
  for (void *matrix : data)
    device.release(matrix, bytes);
  return 2.0 * size * size * size / best;
}

double PeakRate::utilisation(double flops, double seconds, double mean) {
  if (peak <= 0 || seconds <= 0 || mean <= 0)
    return 0;
  peak = std::max({peak, flops / seconds, flops / mean});
  return flops / (mean * peak);
}

} // namespace stretto
