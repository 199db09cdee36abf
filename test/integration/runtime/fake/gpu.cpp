// CUDA's runtime on this machine's memory: the device, its memory and copies. Copies from and to memory that is not
// page-locked run at once, as CUDA's do. While a stream is captured, what may wait or take memory is refused and spoils
// the capture. STRETTO_FAKE_GPU=8.6: its compute capability, 9.0 if not given. STRETTO_FAKE_GPU_MEMORY=N: its memory in
// MiB. STRETTO_FAKE_GPU_SHARED=N: shared memory that a block may have, in KiB, 227 if not given.
// STRETTO_FAKE_GPU_COUNT=N: how many of them there are; a process that takes one has it alone.
#include "test/integration/runtime/fake/gpu.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace {

cudaError_t state = cudaSuccess; // a fault stays
std::string reason;              // of it
std::map<const char *, size_t> pageLocked;
size_t allocated = 0;
std::map<void *, size_t> sizes;
thread_local int deviceOfThread = 0;

int deviceCount() {
  static const size_t count = numberIn("STRETTO_FAKE_GPU_COUNT", 1);
  return static_cast<int>(count);
}

size_t memory() {
  static const size_t mebibytes = numberIn("STRETTO_FAKE_GPU_MEMORY", 1024);
  return mebibytes << 20;
}

bool isPageLocked(const void *address) {
  const GpuLock lock(gpuMutex());
  auto next = pageLocked.upper_bound(static_cast<const char *>(address));
  if (next == pageLocked.begin())
    return false;
  --next;
  return address < next->first + next->second;
}

} // namespace

std::recursive_mutex &gpuMutex() {
  static auto *mutex = new std::recursive_mutex; // other threads may need it to the very end
  return *mutex;
}

size_t numberIn(const char *variable, size_t usual) {
  const char *given = std::getenv(variable), *rank = std::getenv("STRETTO_RANK");
  char *end = nullptr;
  const size_t number = given ? std::strtoull(given, &end, 10) : usual;
  return given && *end == '@' && (!rank || std::strcmp(rank, end + 1) != 0) ? usual : number;
}

void breakDevice(cudaError_t fault, const std::string &why) {
  const GpuLock lock(gpuMutex());
  if (state == cudaSuccess)
    state = fault, reason = why;
}

cudaError_t deviceState() {
  const GpuLock lock(gpuMutex());
  return state;
}

bool isAllocated(const void *address, size_t bytes) {
  const GpuLock lock(gpuMutex());
  auto next = sizes.upper_bound(const_cast<void *>(address));
  if (next == sizes.begin())
    return false;
  --next;
  return static_cast<const char *>(address) + bytes <= static_cast<const char *>(next->first) + next->second;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) { return *count = deviceCount(), cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= deviceCount())
    return cudaErrorInvalidDevice;
  return deviceOfThread = device, cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) { return *device = deviceOfThread, cudaSuccess; }
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
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  switch (attribute) {
  case cudaDevAttrComputeCapabilityMajor:
    return *value = properties.major, cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    return *value = properties.minor, cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}
cudaError_t cudaGetLastError() { return deviceState(); }
cudaError_t cudaPeekAtLastError() { return deviceState(); }
const char *cudaGetErrorString(cudaError_t error) {
  const GpuLock lock(gpuMutex());
  if (error != cudaSuccess && error == state && !reason.empty())
    return reason.c_str();
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
  case cudaErrorStreamCaptureUnjoined:
    return "capturing stream has unjoined work";
  case cudaErrorStreamCaptureIsolation:
    return "dependency created on uncaptured work in another stream";
  case cudaErrorNotReady:
    return "device not ready";
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
  const GpuLock lock(gpuMutex());
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
  const GpuLock lock(gpuMutex());
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
  const GpuLock lock(gpuMutex());
  *free = memory() - allocated;
  *total = memory();
  return state;
}
cudaError_t cudaMallocHost(void **data, size_t bytes) {
  const GpuLock lock(gpuMutex());
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  *data = std::malloc(bytes);
  pageLocked[static_cast<const char *>(*data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *data) {
  const GpuLock lock(gpuMutex());
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
  return late || status != cudaSuccess ? status : cudaStreamSynchronize(stream);
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

} // extern "C"
