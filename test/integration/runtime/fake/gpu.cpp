// CUDA's runtime on this machine's memory. Work on a stream runs as late as it may: when somebody waits. So what
// reads too early, or gives memory back too early, gets something else. Copies from and to memory that is not
// page-locked run at once, as CUDA's do. While a stream is captured, what may wait or take memory is refused and spoils
// the capture. STRETTO_FAKE_GPU=8.6: its compute capability, 9.0 if not given. STRETTO_FAKE_GPU_MEMORY=N: its memory in
// MiB. STRETTO_FAKE_GPU_SHARED=N: shared memory that a block may have, in KiB, 227 if not given.
#include "test/integration/runtime/fake/gpu.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

struct CUstream_st {
  std::vector<std::function<void()>> queue;
  std::vector<std::function<void()>> *capturing = nullptr;
};
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};
struct CUevent_st {
  float time = 0;
};

namespace {

cudaError_t state = cudaSuccess; // a fault stays
std::map<const char *, size_t> pageLocked;
size_t allocated = 0;
std::map<void *, size_t> sizes;
cudaStream_t lastRecorded = nullptr; // there is one stream
cudaStream_t captured = nullptr;     // the one that is being captured
bool spoiled = false;                // its capture

size_t memory() {
  static const char *given = std::getenv("STRETTO_FAKE_GPU_MEMORY");
  return (given ? std::strtoull(given, nullptr, 10) : 1024) << 20;
}

bool isPageLocked(const void *address) {
  auto next = pageLocked.upper_bound(static_cast<const char *>(address));
  if (next == pageLocked.begin())
    return false;
  --next;
  return address < next->first + next->second;
}

void drain(cudaStream_t stream) {
  const auto work = std::move(stream->queue);
  stream->queue.clear();
  for (const auto &one : work)
    if (state == cudaSuccess)
      one();
}

} // namespace

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  if (state != cudaSuccess)
    return state;
  (stream->capturing ? *stream->capturing : stream->queue).push_back(std::move(work));
  return cudaSuccess;
}

void breakDevice(cudaError_t fault) { state = fault; }

bool isCapturing() { return captured; }
cudaError_t refuseInCapture() {
  if (!captured)
    return cudaSuccess;
  spoiled = true;
  return cudaErrorStreamCaptureUnsupported;
}

bool isAllocated(const void *address, size_t bytes) {
  auto next = sizes.upper_bound(const_cast<void *>(address));
  if (next == sizes.begin())
    return false;
  --next;
  return static_cast<const char *>(address) + bytes <= static_cast<const char *>(next->first) + next->second;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = {};
  std::strcpy(properties->name, "made-up GPU");
  const char *capability = std::getenv("STRETTO_FAKE_GPU");
  properties->major = capability ? capability[0] - '0' : 9;
  properties->minor = capability ? capability[2] - '0' : 0;
  const char *shared = std::getenv("STRETTO_FAKE_GPU_SHARED");
  properties->sharedMemPerBlockOptin = (shared ? std::strtoull(shared, nullptr, 10) : 227) << 10;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return state; }
const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorIllegalAddress:
    return "a fault that was asked for";
  case cudaErrorInvalidPtx:
    return "a PTX JIT compilation failed";
  case cudaErrorStreamCaptureUnsupported:
    return "operation not permitted when stream is capturing";
  case cudaErrorStreamCaptureInvalidated:
    return "operation failed due to a previous error during capture";
  default:
    return "refused";
  }
}
const char *cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess               ? "cudaSuccess"
         : error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress"
                                            : "another error";
}

cudaError_t cudaMalloc(void **data, size_t bytes) {
  if (state != cudaSuccess)
    return state;
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  if (allocated + bytes > memory())
    return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xcd, bytes);
  sizes[*data] = bytes;
  allocated += bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void *data) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  if (data) {
    allocated -= sizes.at(data);
    sizes.erase(data);
    std::free(data);
  }
  return state;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *free = memory() - allocated;
  *total = memory();
  return state;
}
cudaError_t cudaMallocHost(void **data, size_t bytes) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  *data = std::malloc(bytes);
  pageLocked[static_cast<const char *>(*data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *data) {
  pageLocked.erase(static_cast<const char *>(data));
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool fromDevice = kind != cudaMemcpyHostToDevice, toDevice = kind != cudaMemcpyDeviceToHost;
  if ((fromDevice && !isAllocated(from, bytes)) || (toDevice && !isAllocated(to, bytes)))
    return cudaErrorInvalidValue;
  const bool late = (fromDevice && toDevice) || isPageLocked(fromDevice ? to : from);
  if (const cudaError_t refused = late ? cudaSuccess : refuseInCapture(); refused != cudaSuccess)
    return refused;
  const cudaError_t status = enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (!late)
    drain(stream);
  return status;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind, cudaStream_t stream) {
  if (toPitch < width || fromPitch < width)
    return cudaErrorInvalidPitchValue;
  if (!isAllocated(from, (height - 1) * fromPitch + width) || !isAllocated(to, (height - 1) * toPitch + width))
    return cudaErrorInvalidValue;
  return enqueue(stream, [=] {
    for (size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch, width);
  });
}
cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t stream) {
  if (!isAllocated(data, bytes))
    return cudaErrorInvalidValue;
  return enqueue(stream, [=] { std::memset(data, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return *stream = new CUstream_st, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  drain(stream);
  return state;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->capturing = new std::vector<std::function<void()>>;
  captured = stream;
  spoiled = false;
  return state;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = spoiled ? nullptr : new CUgraph_st{std::move(*stream->capturing)};
  delete stream->capturing;
  stream->capturing = nullptr;
  captured = nullptr;
  return spoiled ? cudaErrorStreamCaptureInvalidated : state;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long) {
  return *executable = new CUgraphExec_st{graph->work}, state;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return delete executable, cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return enqueue(stream, [executable] {
    for (const auto &one : executable->work)
      if (state == cudaSuccess)
        one();
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = new CUevent_st, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  static float now = 0;
  lastRecorded = stream;
  return enqueue(stream, [event] { event->time = now += 1; });
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  drain(lastRecorded);
  return state;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = end->time - begin->time;
  return state;
}

} // extern "C"
