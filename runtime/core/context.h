// The context behind the C functions of the ABI: resolves buffers, submits ops, keeps the first failure.
#pragma once

#include "runtime/core/arenas.h"

#include <exception>

struct stretto_context {
  stretto::runtime::Device &device;
  const stretto::runtime::Arenas &arenas;
  int32_t dtype;                      // real type of the program
  std::exception_ptr failure = {};    // first failure since the entry point was called
  stretto::runtime::CallSite at = {}; // of the next call
};

namespace stretto::runtime {

// Calls an entry point of a program on its context.
class Context {
public:
  Context(Device &device, const Arenas &arenas, int32_t dtype) : state{device, arenas, dtype} {}

  // Puts the work of an entry point on the stream; throws the failure it met, if any.
  void run(void (*entry)(stretto_context *));

private:
  stretto_context state;
};

} // namespace stretto::runtime
