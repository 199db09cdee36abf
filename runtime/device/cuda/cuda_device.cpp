// An NVIDIA GPU.
#include "runtime/device/cuda/cuda_device.h"

#include "runtime/core/op_table.h"
#include "runtime/core/threads.h"
#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/load.h"
#include "runtime/device/cuda/present.h"
#include "runtime/dist/nccl_groups.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/ranges.h>

namespace stretto::runtime {
namespace {

constexpr size_t remembered = 6; // names of ops
// Left to code that libraries load when they first need it, to the local memory of kernels, and to graphs.
constexpr int64_t spareBytes = 256 << 20;

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// Why there is no GPU to run on.
std::string noDeviceMessage(cudaError_t status) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (status == cudaErrorInsufficientDriver && driver == 0)
    return noCudaDriver();
  if (status == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver must support CUDA {}, but supports {}; install a newer driver",
                       versionText(runtime), versionText(driver));
  if (status == cudaErrorNoDevice || status == cudaSuccess)
    return noCudaDevice();
  return fmt::format("the NVIDIA GPU cannot be used: {} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
}

// Makes a GPU the one of this thread; returns its number. A launcher may have left each process one that it sees.
int chooseDevice(int place) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
    throw Error(noDeviceMessage(status));
  const int number = count == 1 ? 0 : place;
  if (number >= count)
    throw Error(fmt::format("each rank of a host must have a GPU of its own, but there are {}, and this is rank {} of "
                            "the host, counted from 0",
                            count, place));
  if (const cudaError_t chosen = cudaSetDevice(number); chosen != cudaSuccess)
    throw Error(noDeviceMessage(chosen));
  return number;
}

void clearOnDevice(const ZeroOp &op, cudaStream_t stream) {
  check(cudaMemsetAsync(op.data, 0, static_cast<size_t>(op.bytes), stream), "clear memory");
}

void copyOnDevice(const CopyOp &op, cudaStream_t stream) {
  if (op.rows <= 0 || op.row_bytes <= 0)
    return;
  const bool dense = op.rows == 1 || (op.from_stride == op.row_bytes && op.to_stride == op.row_bytes);
  if (dense)
    check(cudaMemcpyAsync(op.to, op.from, op.rows * op.row_bytes, cudaMemcpyDeviceToDevice, stream),
          "copy on the device");
  else
    check(cudaMemcpy2DAsync(op.to, op.to_stride, op.from, op.from_stride, op.row_bytes, op.rows,
                            cudaMemcpyDeviceToDevice, stream),
          "copy on the device");
}

void remember(std::deque<std::string> &names, std::string name) {
  names.push_back(std::move(name));
  if (names.size() > remembered)
    names.pop_front();
}

} // namespace

CudaDevice::CudaDevice(const stretto_program &program, const DeviceOptions &options)
    : options(options), deviceNumber(chooseDevice(options.place)) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, deviceNumber), "ask the GPU what it is");
  deviceName = properties.name;
  capability = {properties.major, properties.minor};
  kernels = std::make_unique<Kernels>(program, deviceName, capability,
                                      static_cast<int64_t>(properties.sharedMemPerBlockOptin));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  matmuls = std::make_unique<Matmuls>(stream, options.tf32);
  library = std::make_unique<Library>(stream, properties.major);
  staging = std::make_unique<Staging>(stream);
  observing = std::make_unique<Observing>(stream);
}

CudaDevice::~CudaDevice() {
  if (lost) { // cleaning up on a lost device throws
    (void)attention.release();
    (void)library.release();
  } else {
    cudaStreamSynchronize(stream);
  }
  repeatedWork.clear();
  observing.reset();
  staging.reset();
  attention.reset();
  library.reset();
  matmuls.reset();
  kernels.reset();
  cudaStreamDestroy(stream);
}

std::string CudaDevice::describe() const {
  const std::string attentionText = attention ? attention->describe() : "";
  return fmt::format("cuda: {} ({}), {}{}", deviceName, architectureName(capability), kernels->source(),
                     attentionText.empty() ? "" : ", attention by " + attentionText);
}

void *CudaDevice::allocate(int64_t bytes) {
  void *data = nullptr;
  if (cudaMalloc(&data, static_cast<size_t>(bytes)) == cudaSuccess)
    return data;
  (void)cudaGetLastError();
  throw Error(
      fmt::format("memory for an arena must be available on the GPU, but {} bytes could not be allocated", bytes));
}

void CudaDevice::release(void *data, int64_t) {
  cudaStreamSynchronize(stream);
  cudaFree(data);
}

void CudaDevice::setThreads(int count) { setThreadCount(count); }

int64_t CudaDevice::availableBytes() const {
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "ask how much memory the GPU has");
  const int64_t held = matmuls->workspaceBytes() + (attention ? attention->heldBytes() : 0);
  return std::max<int64_t>(1, static_cast<int64_t>(free) + held - spareBytes);
}

int64_t CudaDevice::libraryPeakBytes() const {
  return matmuls->workspaceBytes() + (attention ? attention->peakBytes() : 0);
}

void CudaDevice::failIfLost() {
  const cudaError_t state = capturing || lost ? cudaSuccess : cudaStreamSynchronize(stream);
  if (state == cudaSuccess)
    return;
  lost = true;
  throw Error(fmt::format("the GPU failed: {} ({}); submitted last: {}. Checkpoints already written are intact; with "
                          "--graph=off and CUDA_LAUNCH_BLOCKING=1 in the environment the op that fails is the last one",
                          cudaGetErrorString(state), cudaGetErrorName(state),
                          last.empty() ? "nothing" : fmt::format("{}", fmt::join(last, ", "))));
}

void CudaDevice::submit(Op op, const CallSite &at) {
  remember(last, describeOp(op, at));
  try {
    observing->before(op);
    std::visit([this](const auto &one) { execute(one); }, op);
    observing->after(op, at);
  } catch (const Error &) {
    failIfLost();
    throw;
  }
}

void CudaDevice::capture(Repeated &repeated, const std::function<void()> &work) {
  capturing = true;
  try {
    repeated.graph.capture(stream, work);
  } catch (...) {
    capturing = false;
    (void)cudaGetLastError(); // LibTorch would take it for a failure of its own
    throw;
  }
  capturing = false;
  repeated.last = last;
}

// Nothing of what was to be captured has run.
bool CudaDevice::captureOrGoOn(Repeated &repeated, const std::function<void()> &work) {
  try {
    capture(repeated, work);
    return true;
  } catch (const std::exception &reason) {
    failIfLost();
    if (!options.onUnkept)
      throw;
    options.repeat = false;
    options.onUnkept(reason.what());
  }
  repeatedWork.clear();
  return false;
}

void CudaDevice::repeat(int key, const std::function<void()> &work) {
  if (!repeats())
    return work();
  Repeated &repeated = repeatedWork[key];
  if (!repeated.warm) {
    work();
    repeated.warm = true;
    return;
  }
  if (!repeated.graph.captured() && !captureOrGoOn(repeated, work))
    return work();
  last = repeated.last;
  try {
    repeated.graph.launch(stream);
  } catch (const Error &) {
    failIfLost();
    throw;
  }
}

std::unique_ptr<SideStream> CudaDevice::sideStream() {
  return std::make_unique<CudaSideStream>(stream, [this](const Op &op, cudaStream_t side) { executeBeside(op, side); });
}

void CudaDevice::executeBeside(const Op &op, cudaStream_t side) {
  remember(last, describeOp(op, {}));
  if (const auto *launch = std::get_if<LaunchOp>(&op))
    kernels->launch(*launch, side);
  else if (const auto *copy = std::get_if<CopyOp>(&op))
    copyOnDevice(*copy, side);
  else if (const auto *zero = std::get_if<ZeroOp>(&op))
    clearOnDevice(*zero, side);
  else if (const auto *work = std::get_if<WorkOp>(&op))
    work->work();
  else
    throw Error("only launches, copies and clearings can be put beside the stream of a GPU");
}

void CudaDevice::wait() {
  failIfLost();
  staging->finish();
  observing->finish();
}

void CudaDevice::waitFor(Mark mark) {
  if (observing->active())
    return wait();
  try {
    staging->waitFor(mark);
  } catch (const Error &) {
    failIfLost();
    throw;
  }
}

const void *CudaDevice::hostView(const void *data, int64_t bytes, std::vector<std::byte> &storage) {
  storage.resize(bytes);
  check(cudaMemcpyAsync(storage.data(), data, bytes, cudaMemcpyDeviceToHost, stream), "copy from the device");
  check(cudaStreamSynchronize(stream), "copy from the device");
  return storage.data();
}

void CudaDevice::execute(const AttentionOp &op) {
  if (!attention)
    throw Error("attention must have been prepared for");
  attention->run(op);
}

void CudaDevice::execute(const AttentionGradOp &op) {
  if (!attention)
    throw Error("attention must have been prepared for");
  attention->run(op);
}

void CudaDevice::execute(const EmbedOp &) {
  throw Error("embeddings of a program for CUDA must be kernels of its own; compile the model again");
}
void CudaDevice::execute(const EmbedGradOp &) { execute(EmbedOp()); }

void CudaDevice::execute(const WriteCacheOp &) {
  throw Error("the caches of a program for CUDA must have kernels of their own; compile the model again");
}
void CudaDevice::execute(const ReadCacheOp &) { execute(WriteCacheOp()); }
void CudaDevice::execute(const LastRowOp &) { execute(WriteCacheOp()); }
void CudaDevice::execute(const AttentionStepOp &) { execute(WriteCacheOp()); }

void CudaDevice::execute(const ZeroOp &op) { clearOnDevice(op, stream); }

void CudaDevice::execute(const CopyOp &op) { copyOnDevice(op, stream); }

void CudaDevice::execute(const CopyInOp &op) {
  if (capturing)
    throw Error("work that is repeated must not copy from the host");
  staging->run(op);
}

void CudaDevice::execute(const CopyOutOp &op) {
  if (capturing)
    throw Error("work that is repeated must not copy to the host");
  staging->run(op);
}

void CudaDevice::execute(const WorkOp &) {
  throw Error("work of libraries must be put beside the stream of a GPU, where that is the current one");
}

void CudaDevice::execute(const ReserveOp &op) {
  matmuls->reserve(op.matmuls);
  library->reserve(op.library);
  if (op.attention.empty() && op.attentionGrad.empty())
    return;
  if (!attention)
    attention = std::make_unique<Attention>(stream, options.deterministic);
  attention->reserve(op);
}

} // namespace stretto::runtime

// See load.h.
extern "C" {
extern const uint32_t stretto_cuda_abi_version;
const uint32_t stretto_cuda_abi_version = STRETTO_ABI_VERSION;

stretto::runtime::Device *stretto_make_cuda_device(const stretto_program &program,
                                                   const stretto::runtime::DeviceOptions &options);
stretto::runtime::Device *stretto_make_cuda_device(const stretto_program &program,
                                                   const stretto::runtime::DeviceOptions &options) {
  return new stretto::runtime::CudaDevice(program, options);
}

stretto::runtime::Group *stretto_make_cuda_group(const stretto::runtime::Device &device,
                                                 const stretto::runtime::GroupStore &store, const std::string &name,
                                                 int rank, int size);
stretto::runtime::Group *stretto_make_cuda_group(const stretto::runtime::Device &device,
                                                 const stretto::runtime::GroupStore &store, const std::string &name,
                                                 int rank, int size) {
  const int number = static_cast<const stretto::runtime::CudaDevice &>(device).number();
  return stretto::runtime::makeNcclGroup(store, name, rank, size, number).release();
}
}
