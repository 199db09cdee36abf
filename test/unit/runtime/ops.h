// Helpers for tests of device ops: a program of arenas without kernels, and random data.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/core/bf16.h"
#include "runtime/core/context.h"
#include "runtime/core/philox.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace stretto::test {

// A number as bfloat16 holds it.
struct Bf16 {
  Bf16() = default;
  template <typename Number> explicit Bf16(Number value) : bits(runtime::roundToBf16(static_cast<float>(value))) {}
  operator double() const { return runtime::widenBf16(bits); }
  uint16_t bits = 0;
};

// Numbers in (-1, 1), a function of stream and index.
template <typename Real> std::vector<Real> randomReals(int64_t count, uint32_t stream) {
  std::vector<Real> values(count);
  for (int64_t i = 0; i < count; ++i) {
    const runtime::PhiloxCounter words = runtime::philox({static_cast<uint32_t>(i), stream, 0, 0}, {17, 4});
    values[i] = static_cast<Real>(2 * runtime::openUniform(words[0], words[1]) - 1);
  }
  return values;
}

template <typename Real> constexpr int32_t dtypeOf() {
  return sizeof(Real) == 8 ? STRETTO_F64 : sizeof(Real) == 2 ? STRETTO_BF16 : STRETTO_F32;
}

// A device with one big activations arena, handed out in pieces.
class Workbench {
public:
  explicit Workbench(int32_t dtype, const char *deviceName = "cpu", int64_t bytes = 8 << 20)
      : device(runtime::makeDevice(deviceName)), program(makeProgram(bytes)), arenas(*device, program, false),
        context{*device, arenas, dtype} {}

  template <typename T> stretto_buffer place(const std::vector<T> &values) {
    const stretto_buffer buffer = reserve(values.size() * sizeof(T));
    if (values.empty())
      return buffer;
    void *data = arenas.resolve(buffer, values.size() * sizeof(T));
    const std::byte *bytes = reinterpret_cast<const std::byte *>(values.data());
    device->submit(runtime::CopyInOp{data, std::vector<std::byte>(bytes, bytes + values.size() * sizeof(T))});
    return buffer;
  }
  stretto_buffer reserve(int64_t bytes) {
    const stretto_buffer buffer{STRETTO_ARENA_ACTIVATIONS, 0, next};
    next += (bytes + 63) / 64 * 64;
    return buffer;
  }
  // Waits and reads; throws what went wrong.
  template <typename T> std::vector<T> read(const stretto_buffer &buffer, int64_t count) {
    if (context.failure)
      std::rethrow_exception(std::exchange(context.failure, nullptr));
    std::vector<T> values(count);
    if (values.empty())
      return values;
    device->submit(runtime::CopyOutOp{values.data(), arenas.resolve(buffer, count * sizeof(T)),
                                      static_cast<int64_t>(count * sizeof(T))});
    device->wait();
    return values;
  }

  std::unique_ptr<runtime::Device> device;
  stretto_program program;
  runtime::Arenas arenas;
  stretto_context context;

private:
  static stretto_program makeProgram(int64_t bytes) {
    stretto_program program{};
    program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = bytes;
    return program;
  }
  int64_t next = 0;
};

// Largest difference, relative to the largest expected value.
template <typename Real> double relativeError(const std::vector<Real> &got, const std::vector<double> &expected) {
  double worst = 0, scale = 1e-300;
  for (size_t i = 0; i < expected.size(); ++i) {
    scale = std::max(scale, std::abs(expected[i]));
    const double value = static_cast<double>(got[i]);
    worst = std::max(worst, std::isfinite(value) ? std::abs(value - expected[i]) : INFINITY);
  }
  return worst / scale;
}

// Of BF16: half a step between neighbours at the largest value.
template <typename Real> constexpr double tolerance() {
  return sizeof(Real) == 8 ? 1e-13 : sizeof(Real) == 2 ? 1.0 / 256 : 2e-5;
}

} // namespace stretto::test
