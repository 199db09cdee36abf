// Copies between host and device.
#include "runtime/device/cuda/staging.h"

#include "runtime/device/cuda/check.h"

#include <algorithm>
#include <cstring>

namespace stretto::runtime {

Staging::Staging(cudaStream_t stream) : stream(stream) {
  void *data = nullptr;
  check(cudaMallocHost(&data, capacity), "take host memory for copies");
  memory = static_cast<char *>(data);
}

Staging::~Staging() {
  for (const Moment &moment : moments)
    forget(moment);
  for (cudaEvent_t event : spareEvents)
    cudaEventDestroy(event);
  cudaFreeHost(memory);
}

char *Staging::take(int64_t bytes) {
  constexpr int64_t alignment = 64;
  if (bytes > capacity / 4)
    return nullptr;
  const int64_t whole = (bytes + alignment - 1) / alignment * alignment, left = capacity - taken % capacity;
  const int64_t skipped = whole > left ? left : 0; // a copy does not go on at the beginning
  if (taken + skipped + whole - freed > capacity) {
    check(cudaStreamSynchronize(stream), "wait for copies");
    finish();
  }
  taken += skipped;
  char *piece = memory + taken % capacity;
  taken += whole;
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
    arrivals.push_back({op.destination, staged, op.bytes, taken});
  else
    check(cudaStreamSynchronize(stream), "copy from the device");
}

Device::Mark Staging::mark() {
  cudaEvent_t event = nullptr;
  if (spareEvents.empty()) {
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make a mark in a stream");
  } else {
    event = spareEvents.back();
    spareEvents.pop_back();
  }
  moments.push_back({++lastMark, event, taken});
  check(cudaEventRecord(event, stream), "note a place in a stream");
  return lastMark;
}

void Staging::waitFor(Device::Mark mark) {
  int64_t end = freed;
  for (; !moments.empty() && moments.front().mark <= mark; moments.pop_front()) {
    const Moment &moment = moments.front();
    if (moment.mark == mark)
      check(cudaEventSynchronize(moment.event), "wait for a place in a stream");
    end = moment.end;
    forget(moment);
  }
  handOut(end);
}

void Staging::handOut(int64_t end) {
  for (; !arrivals.empty() && arrivals.front().end <= end; arrivals.pop_front())
    std::memcpy(arrivals.front().destination, arrivals.front().source, arrivals.front().bytes);
  freed = std::max(freed, end);
}

void Staging::finish() {
  for (; !moments.empty(); moments.pop_front())
    forget(moments.front());
  handOut(taken);
}

} // namespace stretto::runtime
