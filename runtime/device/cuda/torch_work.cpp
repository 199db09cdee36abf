// LibTorch on our stream.
#include "runtime/device/cuda/torch_work.h"

#include <ATen/Context.h>
#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDACachingAllocator.h>

namespace stretto::runtime {

namespace Allocator = c10::cuda::CUDACachingAllocator;

TorchPool::TorchPool(cudaStream_t stream) : stream(stream) {
  at::globalContext().lazyInitDevice(at::kCUDA);
  at::globalContext().setDeterministicFillUninitializedMemory(false); // nothing is read before it is written
  pool = std::make_unique<at::cuda::MemPool>();
}

TorchPool::~TorchPool() = default;

void TorchPool::run(const char *problem, const std::function<void()> &work) {
  const OnStream scope(stream);
  const c10::DeviceIndex gpu = currentGpu().index();
  Allocator::beginAllocateToPool(gpu, pool->id(), [this](cudaStream_t other) { return other == stream; });
  struct End {
    at::cuda::MemPool &pool;
    c10::DeviceIndex gpu;
    ~End() {
      Allocator::endAllocateToPool(gpu, pool.id());
      Allocator::releasePool(gpu, pool.id()); // that a use of it began counted
    }
  } end{*pool, gpu};
  reporting(problem, work);
}

} // namespace stretto::runtime
