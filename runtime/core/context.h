// The context behind the C functions of the ABI: resolves buffers, submits ops, keeps the first failure.
#pragma once

#include "runtime/core/arenas.h"

#include <exception>
#include <functional>

struct stretto_context {
  stretto::runtime::Device &device;
  const stretto::runtime::Arenas &arenas;
  int32_t dtype;                                         // real type of the program
  std::exception_ptr failure = {};                       // first failure since the entry point was called
  stretto::runtime::CallSite at = {};                    // of the next call
  const stretto::runtime::RowRange *rows = nullptr;      // what kernels are launched on; null: on all there is
  const std::function<void(int64_t)> *onReady = nullptr; // told how many buckets are final; null: nobody asks
};

namespace stretto::runtime {

// The chunks of a kernel that have the rows of a range, with the addresses of what they touch. Throws Error where the
// kernel has no such chunks.
LaunchOp launchOn(const stretto_kernel &kernel, const stretto_buffer *buffers, const RowRange &rows,
                  const Arenas &arenas);

// Calls an entry point of a program on its context.
class Context {
public:
  Context(Device &device, const Arenas &arenas, int32_t dtype) : state{device, arenas, dtype} {}

  // Puts the work of an entry point on the stream; throws the failure it met, if any.
  void run(void (*entry)(stretto_context *));
  // The same on some rows, for an entry whose kernels may be launched on a range: chunks begin and end there, or the
  // arenas do.
  void run(void (*entry)(stretto_context *), const RowRange &rows);
  // The same for `gradients`: `onReady` is told how many of the buckets of the program are final with what was
  // submitted so far.
  void run(void (*entry)(stretto_context *), const std::function<void(int64_t)> &onReady);

private:
  stretto_context state;
};

} // namespace stretto::runtime
