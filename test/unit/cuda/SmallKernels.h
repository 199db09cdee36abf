//===- SmallKernels.h - operations that become CUDA kernels, run on the emulator ---===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stretto::test {

class EmulatedKernels;

using Numbers = std::vector<double>;

/// The numbers of a tensor in memory, with guard bytes behind them. Types are f32, f64, bf16 and i32.
class DeviceTensor {
public:
  DeviceTensor(std::string type, std::vector<int64_t> shape);
  /// Random numbers in [-2, 2), rounded to the type.
  DeviceTensor(std::string type, std::vector<int64_t> shape, uint64_t seed);

  /// As MLIR writes it: tensor<2x3xf32>.
  std::string type() const;
  int64_t count() const;
  void set(int64_t i, double value);
  double get(int64_t i) const;
  void *data() const { return bytes.get(); }
  std::vector<char> bits() const;
  /// Whether nobody wrote behind the tensor.
  bool isGuardWhole() const;

private:
  struct Free {
    void operator()(char *memory) const;
  };
  int64_t size() const;

  std::string element;
  std::vector<int64_t> shape;
  std::unique_ptr<char, Free> bytes;
};

/// The nearest number of a type; bf16 rounds ties to even.
double roundTo(const std::string &type, double value);

/// An operation, its operands and the results, the first of which may be written where an operand lies.
struct DeviceOp {
  std::string text; // "kern.sum_partials kernel \"NAME\" %0 ...", operands numbered; NAME stands for the kernel's name
  std::vector<DeviceTensor *> operands, results;
};

/// Kernels of several operations in one library.
class DeviceOps {
public:
  explicit DeviceOps(const std::vector<DeviceOp> &ops);
  ~DeviceOps();

  bool isLoaded() const;
  /// Runs the kernel of an operation once for each of some orders of warps and blocks, with all checks. Writes what
  /// lies in the first result before each run, if anything is given. Returns whether the bits agree and no guard was
  /// written to.
  bool run(size_t op, const std::vector<char> &before = {});

private:
  std::vector<DeviceOp> ops;
  std::unique_ptr<EmulatedKernels> kernels;
};

} // namespace stretto::test
