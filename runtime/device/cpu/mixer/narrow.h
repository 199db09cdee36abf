// Linear mixers with many heads of a few columns: a recurrence of each column by itself, in the extreme. Chunks would
// be mostly pairs there; these go token by token, with a lane of a vector for each head.
#pragma once

#include "runtime/device/cpu/mixer/mixer.h"

namespace stretto::runtime::mixer {

// Whether this is the faster way for a mixer.
bool isNarrow(const Operands &op);

// Whether the gradients of q and k can be sums over as many heads as the operation says.
bool canAddUp(const Backward &op);

// scratchBytes and run of such a mixer (mixer.h): of a Forward, a Backward or a Step.
template <typename Op> int64_t narrowBytes(const Op &op);
template <typename Op> void runNarrow(const Op &op, char *scratch);

} // namespace stretto::runtime::mixer
