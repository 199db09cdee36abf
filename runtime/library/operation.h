// An operation of the library: a function over LibTorch's tensors, which generated code asks for by its name. For
// libraries that programs are linked with; see docs/extending.md.
#pragma once

#include <ATen/core/Tensor.h>
#include <functional>
#include <string_view>
#include <vector>

namespace stretto::runtime {

struct MatmulShape; // runtime/core/matmul_shape.h

// What a function is given. All tensors lie in the memory of the program, on its device. Where the model has bf16, what
// the operation says may be rounded is that, and all else f32.
struct LibraryCall {
  struct Number {
    std::string_view name;
    double value;
  };

  std::vector<at::Tensor> operands;                        // those that are given, in their order
  std::vector<at::Tensor> results;                         // to be written in place: results[0].copy_(...)
  std::vector<std::string_view> operandNames, resultNames; // of those that may be left out; else empty
  std::vector<Number> numbers;                             // attributes; a boolean is 1 or 0
  int capability = 0;                                      // major compute capability of the GPU; 0 on the CPU
  // On the CPU: memory for the time of the call, so many bytes for each thread (runtime/core/threads.h), one part
  // behind the other.
  std::function<char *(int64_t bytesPerThread)> scratch;

  // An operand or result that may be left out, by its name; an undefined tensor where it is.
  at::Tensor operand(std::string_view name) const;
  at::Tensor result(std::string_view name) const;
  // An attribute; Error where there is none of the name.
  double number(std::string_view name) const;
};

// Makes an operation known under the name that IR has for it. `compute` gives the same bits on any number of threads,
// and waits for nothing: a GPU may be recording what it does. `scratchBytes` says how much scratch a thread needs, so
// that it is there before the program runs, and `matmuls` which ones of our own or MKL's it has threads compute on the
// CPU, whose memory is taken then, too; tensors have shapes there, and nothing in them.
//
//   static const LibraryOperation cumulative("mean.cumulative", [](const LibraryCall &call) { ... });
struct LibraryOperation {
  using Compute = void (*)(const LibraryCall &call);
  using ScratchBytes = int64_t (*)(const LibraryCall &call);
  using Matmuls = std::vector<MatmulShape> (*)(const LibraryCall &call);
  LibraryOperation(const char *name, Compute compute, ScratchBytes scratchBytes = nullptr, Matmuls matmuls = nullptr);
};

} // namespace stretto::runtime
