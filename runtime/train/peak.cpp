// The rate of floating point operations that this machine reaches, as a yardstick for MFU.
#include "runtime/train/peak.h"

#include "runtime/core/bf16.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace stretto::runtime {
namespace {

// Numbers in (-1, 1), some thousands over and over: matmuls of zeros take less power and are quicker than any real
// one.
std::vector<std::byte> someNumbers(int64_t count, int32_t dtype) {
  constexpr int64_t most = 1 << 16;
  const int64_t element = elementBytes(dtype), different = std::min(most, count);
  std::vector<std::byte> data(count * element);
  uint32_t state = 1;
  for (int64_t i = 0; i < different; ++i) {
    state = state * 1664525u + 1013904223u; // Numerical Recipes' generator
    const float value = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
    if (dtype == STRETTO_F64)
      reinterpret_cast<double *>(data.data())[i] = value;
    else if (dtype == STRETTO_BF16)
      reinterpret_cast<uint16_t *>(data.data())[i] = roundToBf16(value);
    else
      reinterpret_cast<float *>(data.data())[i] = value;
  }
  for (int64_t done = different; done < count; done += different)
    std::memcpy(&data[done * element], data.data(), std::min(different, count - done) * element);
  return data;
}

} // namespace

double measurePeak(Device &device, int32_t dtype) {
  const int64_t size = device.peakSize();
  constexpr int most = 24, enough = 6; // repetitions; and those in a row that bring nothing
  const int64_t bytes = size * size * elementBytes(dtype);
  void *data[3];
  for (void *&matrix : data) {
    matrix = device.allocate(bytes);
    device.submit(CopyInOp{matrix, someNumbers(size * size, dtype)});
  }
  device.wait();
  MatmulOp matmul;
  matmul.dtype = matmul.dtype_c = dtype;
  matmul.m = matmul.n = matmul.k = matmul.lda = matmul.ldb = matmul.ldc = size;
  matmul.a = data[0], matmul.b = data[1], matmul.c = data[2];
  double best = 1e30;
  for (int i = 0, idle = 0; i < most && idle < enough; ++i) {
    const auto start = std::chrono::steady_clock::now();
    device.submit(matmul);
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

} // namespace stretto::runtime
