// What all ways of computing a mixer have in common.
#include "runtime/device/cpu/mixer/operands.h"

#include <immintrin.h>

namespace stretto::runtime::mixer {

constexpr unsigned flushToZero = 0x8040; // flush results, take operands as zero

FlushToZero::FlushToZero() : before(_mm_getcsr()) { _mm_setcsr(before | flushToZero); }
FlushToZero::~FlushToZero() { _mm_setcsr(before); }

} // namespace stretto::runtime::mixer
