//===- KernelBuffer.h - memory that a kernel under test reads or writes ---------===//
#pragma once

#include "RowInterpreter.h"

namespace stretto::test {

/// A tensor of f32, f64, bf16 or i32, aligned as arenas are, with guard bytes behind it that must stay as they are.
class KernelBuffer {
public:
  explicit KernelBuffer(mlir::Type type);
  ~KernelBuffer();
  KernelBuffer(const KernelBuffer &) = delete;

  void *data() { return bytes; }
  void set(const Numbers &numbers);
  /// Ends the process where somebody wrote behind the tensor.
  Numbers get() const;

private:
  static constexpr size_t guard = 64;

  mlir::Type element;
  size_t count, size;
  char *bytes;
};

} // namespace stretto::test
