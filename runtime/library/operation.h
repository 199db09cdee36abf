// An operation of the library: a function over LibTorch's tensors, which generated code asks for by its name. For
// libraries that programs are linked with; see docs/extending.md.
#pragma once

#include <ATen/core/Tensor.h>
#include <vector>

namespace stretto::runtime {

// What a function is given. All tensors lie in the memory of the program, on its device. Where the model has bf16, what
// the operation says may be rounded is that, and all else f32.
struct LibraryCall {
  std::vector<at::Tensor> operands;
  std::vector<at::Tensor> results; // to be written in place: results[0].copy_(...)
  std::vector<double> numbers;     // attributes, in the order of their names
};

// Makes an operation known under the name that IR has for it. `compute` gives the same bits on any number of threads,
// and waits for nothing: a GPU may be recording what it does.
//
//   static const LibraryOperation cumulative("mean.cumulative", [](const LibraryCall &call) { ... });
struct LibraryOperation {
  using Compute = void (*)(const LibraryCall &call);
  LibraryOperation(const char *name, Compute compute);
};

} // namespace stretto::runtime
