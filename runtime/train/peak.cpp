#include "runtime/train/peak.h"

#include <algorithm>
#include <chrono>

namespace stretto {

double measurePeak(Device &device, int32_t dtype) {
  constexpr int64_t size = 1024;
  constexpr int repetitions = 6;
  const int64_t bytes = size * size * elementBytes(dtype);
  void *data[3];
  for (void *&matrix : data) {
    matrix = device.allocate(bytes);
    device.submit(ZeroOp{matrix, bytes});
  }
  device.wait();
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    device.submit(MatmulOp{dtype, size, size, size, size, size, size, false, false, false, data[0], data[1], data[2]});
    device.wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  for (void *matrix : data)
    device.release(matrix, bytes);
  return 2.0 * size * size * size / best;
}

} // namespace stretto
