// The CPU: runs every op at once, on the threads of runtime/core/threads.h.
#include "runtime/device/cpu/cpu_device.h"

#include "runtime/core/error.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_step.h"
#include "runtime/device/cpu/bf16.h"
#include "runtime/device/cpu/caches.h"
#include "runtime/device/cpu/embed.h"
#include "runtime/device/cpu/library.h"
#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/device/cpu/reserve.h"
#include "runtime/device/cpu/side_thread.h"
#include "runtime/library/run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace stretto::runtime {

// Below both, a launch runs on the calling thread.
static constexpr int64_t smallLaunchBytes = 32 << 10, smallLaunchFlops = 1 << 18;

// More than one, so that a thread that comes late or is put aside leaves work to the others.
static constexpr int64_t piecesPerThread = 4;

// Of a chunk that is a piece of its own, as those of matmuls with an epilogue are.
static constexpr int64_t largeChunkFlops = 1 << 20;

CpuDevice::CpuDevice() { countLibraryMemory(); }

// Asks for pages of 2 MB, of which a processor finds more rows without looking up where they lie. Systems that have
// none refuse, and nothing is lost.
static void askForLargePages(void *data, int64_t bytes) {
  constexpr int64_t large = 2 << 20;
  constexpr uintptr_t page = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(data), first = (begin + page - 1) / page * page;
  const uintptr_t end = (begin + bytes) / page * page;
  if (bytes >= large)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
}

void *CpuDevice::allocate(int64_t bytes) {
  void *data = libraryAllocate(bytes);
  if (!data)
    throw Error(fmt::format("memory for an arena must be available, but {} bytes could not be allocated", bytes));
  askForLargePages(data, bytes);
  allocations[data] = bytes;
  return data;
}

void CpuDevice::release(void *data, int64_t) {
  allocations.erase(data);
  libraryRelease(data);
}
void CpuDevice::setThreads(int count) {
  setLibraryThreads(count);
  setThreadCount(count);
}
int CpuDevice::threads() const { return threadCount(); }
// What guards the buffers of kernels does so for one stream.
std::unique_ptr<SideStream> CpuDevice::sideStream() {
  return OnlyBuffers::areGuarded() ? Device::sideStream() : std::make_unique<SideThread>();
}

std::string CpuDevice::describe() const {
  return fmt::format("cpu on {} threads, matmuls by {}", threads(), matmuls());
}
std::string CpuDevice::matmuls() const { return prefersTiles() ? "tiles" : "MKL"; }
int64_t CpuDevice::libraryPeakBytes() const {
  return libraryTemporaryPeak() + matmulMemoryPeak() + scratchMemory.bytes + wideMemory.bytes;
}

void CpuDevice::submit(Op op, const CallSite &at) {
  if (observer)
    observer->before(op);
  struct Run {
    CpuDevice &device;
    void operator()(const LaunchOp &op) { device.execute(op); }
    void operator()(const ZeroOp &op) { device.execute(op); }
    void operator()(const CopyOp &op) { device.execute(op); }
    void operator()(const ReserveOp &op) { device.execute(op); }
    void operator()(const MatmulOp &op) { device.execute(op); }
    void operator()(const AttentionOp &op) { device.execute(op); }
    void operator()(const AttentionGradOp &op) { device.execute(op); }
    void operator()(const EmbedOp &op) { embed(op); }
    void operator()(const EmbedGradOp &op) { embedGrad(op); }
    void operator()(const WriteCacheOp &op) { writeCache(op); }
    void operator()(const ReadCacheOp &op) { readCache(op); }
    void operator()(const LastRowOp &op) { lastRow(op); }
    void operator()(const AttentionStepOp &op) { device.execute(op); }
    void operator()(const LibraryOp &op) { device.execute(op); }
    void operator()(const CopyInOp &op) { std::memcpy(op.destination, op.data.data(), op.data.size()); }
    void operator()(const CopyOutOp &op) { std::memcpy(op.destination, op.source, op.bytes); }
    void operator()(const WorkOp &op) { op.work(); }
  };
  std::visit(Run{*this}, op);
  if (observer)
    observer->after(op, at, -1);
}

void CpuDevice::Kept::Free::operator()(char *data) const { std::free(data); }

char *CpuDevice::Kept::atLeast(int64_t needed, const char *what) {
  if (needed > bytes) {
    data.reset();
    data.reset(static_cast<char *>(std::aligned_alloc(64, (needed + 63) / 64 * 64)));
    bytes = data ? needed : 0;
    if (!data)
      throw Error(fmt::format("memory for {} must be available, but {} bytes could not be allocated", what, needed));
  }
  return data.get();
}

// A thread's part of the scratch of a kernel.
static int64_t scratchOf(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Scratch of all threads; the part of thread i starts at i * bytesPerThread.
char *CpuDevice::scratch(int64_t bytesPerThread) {
  return scratchMemory.atLeast(bytesPerThread * threadCount(), "kernel scratch");
}

float *CpuDevice::wide(int64_t elements) {
  return reinterpret_cast<float *>(
      wideMemory.atLeast(elements * static_cast<int64_t>(sizeof(float)), "operands in float"));
}

void CpuDevice::execute(const ReserveOp &op) {
  scratchMemory = {};
  wideMemory = {};
  if (op.kernelScratch)
    scratch(scratchOf(op.kernelScratch));
  int64_t elements = 0;
  for (const MatmulOp &matmul : op.matmuls)
    if (matmul.dtype == STRETTO_BF16)
      elements = std::max(elements, wideElements(matmul));
  for (const AttentionOp &attention : op.attention)
    if (attention.dtype == STRETTO_BF16)
      elements = std::max(elements, wideElements(attention));
  for (const AttentionGradOp &attention : op.attentionGrad)
    if (attention.forward.dtype == STRETTO_BF16)
      elements = std::max(elements, wideElements(attention));
  for (const AttentionStepOp &attention : op.attentionStep)
    if (attention.dtype == STRETTO_BF16)
      elements = std::max(elements, wideElements(attention));
  if (elements)
    wide(elements);
  reserveForMatmuls(op);
  for (const AttentionOp &attention : op.attention)
    scratch(scratchOf(attentionScratch(attention)));
  for (const AttentionGradOp &attention : op.attentionGrad)
    scratch(scratchOf(attentionScratch(attention)));
  for (const LibraryOp &library : op.library)
    scratch(scratchOf(scratchBytes(library)));
}

void CpuDevice::execute(const MatmulOp &op) {
  if (op.dtype == STRETTO_BF16)
    matmulBf16(op, wide(wideElements(op)));
  else
    matmul(op);
}

void CpuDevice::execute(const AttentionOp &op) {
  char *const space = scratch(scratchOf(attentionScratch(op)));
  if (op.dtype == STRETTO_BF16)
    attentionBf16(op, wide(wideElements(op)), space);
  else
    attention(op, space);
}

void CpuDevice::execute(const AttentionGradOp &op) {
  char *const space = scratch(scratchOf(attentionScratch(op)));
  if (op.forward.dtype == STRETTO_BF16)
    attentionGradBf16(op, wide(wideElements(op)), space);
  else
    attentionGrad(op, space);
}

void CpuDevice::execute(const AttentionStepOp &op) {
  if (op.dtype == STRETTO_BF16)
    attentionStepBf16(op, wide(wideElements(op)));
  else
    attentionStep(op);
}

void CpuDevice::execute(const LibraryOp &op) {
  runOnCpu(op, [this](int64_t bytesPerThread) { return scratch(scratchOf(bytesPerThread)); });
}

void CpuDevice::execute(const LaunchOp &op) {
  const stretto_kernel &kernel = *op.kernel;
  const int64_t perThread = scratchOf(kernel.scratch_bytes);
  char *scratchBase = perThread ? scratch(perThread) : nullptr;
  void *const *buffers = op.buffers.data();
  const OnlyBuffers guard(allocations, op);
  // Small work is over before a second thread is awake; results do not depend on who does it.
  const bool small = kernel.bytes_moved > 0 && kernel.bytes_moved < smallLaunchBytes && kernel.flops < smallLaunchFlops;
  const int64_t chunks = op.end - op.begin;
  if (chunks <= 1 || small) {
    kernel.function(buffers, op.begin, op.end, scratchBase);
    return;
  }
  const bool large = kernel.flops / kernel.chunks >= largeChunkFlops;
  const int64_t pieces = large ? chunks : std::min<int64_t>(chunks, piecesPerThread * threadCount());
  parallelFor(pieces, [&](int64_t piece, int thread) {
    kernel.function(buffers, op.begin + chunks * piece / pieces, op.begin + chunks * (piece + 1) / pieces,
                    scratchBase ? scratchBase + thread * perThread : nullptr);
  });
}

void CpuDevice::execute(const ZeroOp &op) {
  constexpr int64_t block = 1 << 20;
  char *data = static_cast<char *>(op.data);
  if (op.bytes <= block) {
    std::memset(data, 0, op.bytes);
    return;
  }
  parallelFor((op.bytes + block - 1) / block, [&](int64_t piece, int) {
    std::memset(data + piece * block, 0, std::min(block, op.bytes - piece * block));
  });
}

void CpuDevice::execute(const CopyOp &op) {
  constexpr int64_t block = 64 << 10; // bytes worth a thread's attention
  const int64_t rowsPerBlock = std::max<int64_t>(1, block / std::max<int64_t>(1, op.row_bytes));
  parallelFor((op.rows + rowsPerBlock - 1) / rowsPerBlock, [&](int64_t piece, int) {
    for (int64_t row = piece * rowsPerBlock; row < std::min(op.rows, (piece + 1) * rowsPerBlock); ++row)
      std::memcpy(static_cast<char *>(op.to) + row * op.to_stride,
                  static_cast<const char *>(op.from) + row * op.from_stride, op.row_bytes);
  });
}

} // namespace stretto::runtime
