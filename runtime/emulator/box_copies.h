// Bulk tensor copies into shared memory, which mbarriers wait for.
#pragma once

#include "runtime/emulator/block.h"

namespace stretto::emulator {

// The tensor map of the launch that a copy names, of so many dimensions. Ends the process if there is none.
const TensorMap &findMap(Thread &thread, const stretto_emulated_wait &wait, const void *pointer, uint32_t rank);

} // namespace stretto::emulator
