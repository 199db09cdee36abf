// Linear mixers with many heads of a few columns: a recurrence of each column by itself, in the extreme. Chunks would
// be mostly pairs there; these go token by token, with a lane of a vector for each head.
#pragma once

#include "runtime/device/cpu/mixer/mixer.h"

namespace stretto::runtime::mixer {

// Whether this is the faster way for a mixer.
bool isNarrow(const Operands &op);

// As in mixer.h, of such a mixer.
int64_t narrowBytes(const Forward &op);
int64_t narrowBytes(const Backward &op);
int64_t narrowBytes(const Step &op);
void runNarrow(const Forward &op, char *scratch);
void runNarrow(const Backward &op, char *scratch);
void runNarrow(const Step &op, char *scratch);

} // namespace stretto::runtime::mixer
