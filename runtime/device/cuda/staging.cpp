// Copies between host and device.
#include "runtime/device/cuda/staging.h"

#include "runtime/device/cuda/check.h"

#include <cstring>

namespace stretto::runtime {

Staging::Staging(cudaStream_t stream) : stream(stream) {
  void *data = nullptr;
  check(cudaMallocHost(&data, capacity), "take host memory for copies");
  memory = static_cast<char *>(data);
}

Staging::~Staging() { cudaFreeHost(memory); }

char *Staging::take(int64_t bytes) {
  constexpr int64_t alignment = 64;
  if (bytes > capacity / 4)
    return nullptr;
  if (used + bytes > capacity) {
    check(cudaStreamSynchronize(stream), "wait for copies");
    finish();
  }
  char *piece = memory + used;
  used += (bytes + alignment - 1) / alignment * alignment;
  return piece;
}

void Staging::run(const CopyInOp &op) {
  const int64_t bytes = static_cast<int64_t>(op.data.size());
  const void *source = op.data.data();
  char *staged = take(bytes);
  if (staged)
    source = std::memcpy(staged, op.data.data(), op.data.size());
  check(cudaMemcpyAsync(op.destination, source, bytes, cudaMemcpyHostToDevice, stream), "copy to the device");
  if (!staged) // the op goes when it has run
    check(cudaStreamSynchronize(stream), "copy to the device");
}

void Staging::run(const CopyOutOp &op) {
  char *staged = take(op.bytes);
  check(cudaMemcpyAsync(staged ? staged : op.destination, op.source, op.bytes, cudaMemcpyDeviceToHost, stream),
        "copy from the device");
  if (staged)
    arrivals.push_back({op.destination, staged, op.bytes});
  else
    check(cudaStreamSynchronize(stream), "copy from the device");
}

void Staging::finish() {
  for (const Arrival &arrival : arrivals)
    std::memcpy(arrival.destination, arrival.source, arrival.bytes);
  arrivals.clear();
  used = 0;
}

} // namespace stretto::runtime
