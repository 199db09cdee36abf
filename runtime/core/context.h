// The context behind the C functions of the ABI: resolves buffers, submits ops, keeps the first failure.
#pragma once

#include "runtime/core/arenas.h"

#include <exception>
#include <functional>

namespace stretto::runtime {

// What an entry point tells as it goes, in numbers of buckets of the program: the first ones are final with what was
// submitted so far; the last ones must have come for what is submitted from now on.
struct ExchangeHooks {
  std::function<void(int64_t)> ready, await;
};

} // namespace stretto::runtime

struct stretto_context {
  stretto::runtime::Device &device;
  const stretto::runtime::Arenas &arenas;
  int32_t dtype;                                          // real type of the program
  std::exception_ptr failure = {};                        // first failure since the entry point was called
  stretto::runtime::CallSite at = {};                     // of the next call
  const stretto::runtime::RowRange *rows = nullptr;       // what kernels are launched on; null: on all there is
  const stretto::runtime::ExchangeHooks *hooks = nullptr; // null: nobody exchanges
  stretto::runtime::SideStream *side = nullptr;           // where ops go; null: to the stream of the device
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
  // The same on a second stream.
  void run(void (*entry)(stretto_context *), const RowRange &rows, SideStream &side);
  // The same for `gradients`.
  void run(void (*entry)(stretto_context *), const ExchangeHooks &hooks);

private:
  stretto_context state;
};

} // namespace stretto::runtime
