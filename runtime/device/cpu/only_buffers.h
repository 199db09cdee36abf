// What a kernel may touch. Programs that are linked with AddressSanitizer (`stretto compile --sanitize`) end where a
// kernel leaves its buffers, also towards other values of the same arena; all others do nothing of this.
#pragma once

#include "runtime/core/op.h"

#include <map>

namespace stretto::runtime {

using Allocations = std::map<void *, int64_t>; // bytes by address

// While it lives, of all allocations only the buffers of a launch may be touched.
class OnlyBuffers {
public:
  OnlyBuffers(const Allocations &allocations, const LaunchOp &op);
  ~OnlyBuffers();
  OnlyBuffers(const OnlyBuffers &) = delete;
  OnlyBuffers &operator=(const OnlyBuffers &) = delete;

  // Whether this program does so.
  static bool areGuarded();

private:
  const Allocations &allocations;
  const bool guards;
};

} // namespace stretto::runtime
