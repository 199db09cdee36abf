// CUDA's runtime on this machine's memory. Work on a stream runs as late as it may: when somebody waits. So whoever reads
// too early, or gives memory back too early, gets something else. Copies from and to memory that is not page-locked run
// at once, as CUDA's do. STRETTO_FAKE_GPU_FAULT=N: the N-th kernel that runs breaks the device for good.
#include "test/integration/runtime/fake/gpu.h"

#include "runtime/abi/abi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string_view>
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
constexpr size_t memory = size_t(1) << 30;
cudaStream_t lastRecorded = nullptr; // there is one stream

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

void runKernel(const stretto_kernel &kernel, const std::vector<void *> &buffers) {
  static const char *fault = std::getenv("STRETTO_FAKE_GPU_FAULT");
  static int64_t runs = 0;
  if (fault && ++runs == std::atoll(fault)) {
    state = cudaErrorIllegalAddress;
    return;
  }
  std::vector<char> scratch(kernel.scratch_bytes);
  kernel.function(buffers.data(), 0, kernel.grid[0] * kernel.grid[1], scratch.data());
}

const stretto_program &program() {
  return *static_cast<const stretto_program *>(dlsym(RTLD_DEFAULT, "stretto_compiled_program"));
}

} // namespace

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  if (state != cudaSuccess)
    return state;
  (stream->capturing ? *stream->capturing : stream->queue).push_back(std::move(work));
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = {};
  std::strcpy(properties->name, "made-up GPU");
  properties->major = 9;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return state; }
const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "a fault that was asked for"; }
const char *cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaErrorIllegalAddress"; }

cudaError_t cudaMalloc(void **data, size_t bytes) {
  if (state != cudaSuccess)
    return state;
  if (allocated + bytes > memory)
    return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xcd, bytes);
  sizes[*data] = bytes;
  allocated += bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void *data) {
  if (data) {
    allocated -= sizes.at(data);
    sizes.erase(data);
    std::free(data);
  }
  return state;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *free = memory - allocated;
  *total = memory;
  return state;
}
cudaError_t cudaMallocHost(void **data, size_t bytes) {
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
  const bool late = kind == cudaMemcpyDeviceToDevice || isPageLocked(kind == cudaMemcpyHostToDevice ? from : to);
  if (!late && stream->capturing)
    return cudaErrorStreamCaptureUnsupported;
  const cudaError_t status = enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (!late)
    drain(stream);
  return status;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind, cudaStream_t stream) {
  if (toPitch < width || fromPitch < width)
    return cudaErrorInvalidPitchValue;
  return enqueue(stream, [=] {
    for (size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch, width);
  });
}
cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] { std::memset(data, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return *stream = new CUstream_st, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream->capturing)
    return cudaErrorStreamCaptureUnsupported;
  drain(stream);
  return state;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->capturing = new std::vector<std::function<void()>>;
  return state;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = new CUgraph_st{std::move(*stream->capturing)};
  delete stream->capturing;
  stream->capturing = nullptr;
  return state;
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
  drain(lastRecorded);
  return state;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = end->time - begin->time;
  return state;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  *library = nullptr;
  return std::string_view(static_cast<const char *>(code)) == "code of sm_90a" ? cudaSuccess : cudaErrorInvalidKernelImage;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return cudaSuccess; }
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t, const char *name) {
  const stretto_kernel *begin = program().kernels, *end = begin + program().kernel_count;
  const auto *found = std::find_if(begin, end, [&](const stretto_kernel &one) { return !std::strcmp(one.symbol, name); });
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<stretto_kernel *>(found));
  return found == end ? cudaErrorSymbolNotFound : cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  const auto *kernel = static_cast<const stretto_kernel *>(function);
  if (config->gridDim.x != kernel->grid[0] || config->gridDim.y != kernel->grid[1] || config->blockDim.x != kernel->block)
    return cudaErrorInvalidConfiguration;
  std::vector<void *> buffers(kernel->buffers);
  for (int64_t i = 0; i < kernel->buffers; ++i)
    buffers[i] = *static_cast<void **>(arguments[i]);
  return enqueue(config->stream, [=] { runKernel(*kernel, buffers); });
}

} // extern "C"
