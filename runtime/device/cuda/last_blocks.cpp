// Last blocks of kernels that are launched in parts, where they have fewer rows than the others.
#include "runtime/device/cuda/last_blocks.h"

#include "runtime/device/cuda/check.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace stretto::runtime {
namespace {

constexpr int64_t alignment = 256; // of a buffer

std::span<const int64_t> chunkBytes(const stretto_kernel &kernel) {
  return {kernel.chunk_bytes, static_cast<size_t>(kernel.buffers)};
}

int64_t roomOf(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// The rows of the last block in each buffer.
struct Rows {
  char *begin = nullptr;
  int64_t bytes = 0; // 0: the buffer belongs to all blocks
};

Rows rowsIn(const LaunchOp &op, size_t buffer) {
  const int64_t ofChunk = op.kernel->chunk_bytes[buffer], before = (op.kernel->chunks - 1) * ofChunk;
  return ofChunk ? Rows{static_cast<char *>(op.buffers[buffer]) + before, op.kernel->buffer_bytes[buffer] - before}
                 : Rows{};
}

// The first buffer that is the same: what a kernel changes in place is given to it twice.
size_t firstAt(const std::vector<void *> &buffers, size_t buffer) {
  return static_cast<size_t>(std::find(buffers.begin(), buffers.end(), buffers[buffer]) - buffers.begin());
}

char *allocate(const stretto_kernel &kernel) {
  const std::span<const int64_t> bytes = chunkBytes(kernel);
  const int64_t all = std::accumulate(bytes.begin(), bytes.end(), int64_t(0),
                                      [](int64_t sum, int64_t each) { return sum + roomOf(each); });
  void *data = nullptr;
  check(cudaMalloc(&data, static_cast<size_t>(all)), "take memory for the last block of a kernel");
  return static_cast<char *>(data);
}

void copy(void *to, const void *from, int64_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, stream), "copy on the device");
}

} // namespace

bool isLastBlockShort(const stretto_kernel &kernel) {
  const std::span<const int64_t> ofChunk = chunkBytes(kernel);
  const auto parted = std::find_if(ofChunk.begin(), ofChunk.end(), [](int64_t bytes) { return bytes > 0; });
  return parted != ofChunk.end() && *parted * kernel.chunks != kernel.buffer_bytes[parted - ofChunk.begin()];
}

LastBlocks::~LastBlocks() {
  for (const auto &[kernel, room] : rooms)
    cudaFree(room);
}

std::vector<void *> LastBlocks::take(const LaunchOp &op, cudaStream_t stream) {
  std::vector<void *> buffers = op.buffers;
  char *&taken = rooms[op.kernel];
  if (!taken)
    taken = allocate(*op.kernel);
  char *room = taken;
  for (size_t i = 0; i < buffers.size(); room += roomOf(op.kernel->chunk_bytes[i++])) {
    const Rows rows = rowsIn(op, i);
    if (rows.bytes == 0)
      continue;
    const size_t first = firstAt(op.buffers, i);
    buffers[i] = first < i ? buffers[first] : room;
    if (first == i)
      copy(room, rows.begin, rows.bytes, stream);
  }
  return buffers;
}

void LastBlocks::giveBack(const LaunchOp &op, const std::vector<void *> &buffers, cudaStream_t stream) const {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (const Rows rows = rowsIn(op, i); rows.bytes > 0 && firstAt(op.buffers, i) == i)
      copy(rows.begin, buffers[i], rows.bytes, stream);
}

} // namespace stretto::runtime
