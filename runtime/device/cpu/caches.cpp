// Rows into and out of the caches of decode entries; see stretto_write_cache and its like in the ABI.
#include "runtime/device/cpu/caches.h"

#include "runtime/core/threads.h"

#include <algorithm>
#include <cstring>

namespace stretto::runtime {
namespace {

constexpr int64_t smallBytes = 32 << 10; // up to here one thread is quicker

// Calls work(b) for each sequence, on several threads where `bytes` in all are many.
template <typename Work> void eachSequence(int64_t batch, int64_t bytes, const Work &work) {
  if (bytes > smallBytes)
    return parallelFor(batch, [&](int64_t b, int) { work(b); });
  for (int64_t b = 0; b < batch; ++b)
    work(b);
}

} // namespace

void writeCache(const WriteCacheOp &op) {
  eachSequence(op.batch, op.batch * op.rows * op.row_bytes, [&](int64_t b) {
    const char *from = static_cast<const char *>(op.from) + b * op.rows * op.from_stride;
    char *cache = static_cast<char *>(op.cache) + b * op.capacity * op.row_bytes;
    for (int64_t row = 0; row < op.counts[b]; ++row)
      std::memcpy(cache + op.positions[b * op.rows + row] % op.capacity * op.row_bytes, from + row * op.from_stride,
                  op.row_bytes);
  });
}

void readCache(const ReadCacheOp &op) {
  eachSequence(op.batch, op.batch * op.rows * op.row_bytes, [&](int64_t b) {
    const char *cache = static_cast<const char *>(op.cache) + b * op.capacity * op.row_bytes;
    for (int64_t row = b * op.rows; row < (b + 1) * op.rows; ++row) {
      char *to = static_cast<char *>(op.to) + row * op.row_bytes;
      const int64_t position = op.positions[row] - op.back;
      if (position < 0)
        std::memset(to, 0, op.row_bytes);
      else
        std::memcpy(to, cache + position % op.capacity * op.row_bytes, op.row_bytes);
    }
  });
}

void lastRow(const LastRowOp &op) {
  for (int64_t b = 0; b < op.batch; ++b) {
    const int64_t row = b * op.rows + std::max(op.counts[b] - 1, 0);
    std::memcpy(static_cast<char *>(op.to) + b * op.row_bytes, static_cast<const char *>(op.from) + row * op.row_bytes,
                op.row_bytes);
  }
}

} // namespace stretto::runtime
