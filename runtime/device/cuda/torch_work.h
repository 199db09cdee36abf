// LibTorch on our stream. For sources that see its headers.
#pragma once

#include "runtime/core/error.h"

#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Exception.h>
#include <functional>
#include <memory>
#include <string>

namespace at::cuda {
struct MemPool;
}

namespace stretto::runtime {

// Does it; what LibTorch or another library throws becomes an Error that begins with `problem`.
template <typename Call> void reporting(const char *problem, const Call &call) {
  try {
    call();
  } catch (const Error &) {
    throw;
  } catch (const c10::Error &error) {
    throw Error(std::string(problem) + ": " + error.what_without_backtrace());
  } catch (const std::exception &error) {
    throw Error(std::string(problem) + ": " + error.what());
  }
}

// The GPU of this thread, which the device has chosen.
inline at::Device currentGpu() { return {at::kCUDA, c10::cuda::current_device()}; }

// Our stream is LibTorch's for as long as it lives, and nothing is noted for gradients.
struct OnStream {
  explicit OnStream(cudaStream_t stream) : guard(c10::cuda::getStreamFromExternal(stream, currentGpu().index())) {}
  c10::InferenceMode inference;
  c10::cuda::CUDAStreamGuard guard;
};

// Memory for what LibTorch allocates while it works for us: a pool that nobody else takes from. Replayed graphs may use
// its addresses again, and it grows no more once all work has run in it.
class TorchPool {
public:
  explicit TorchPool(cudaStream_t stream);
  ~TorchPool();
  // Does it on the stream; throws Error that begins with `problem` for what libraries throw.
  void run(const char *problem, const std::function<void()> &work);

private:
  cudaStream_t stream;
  std::unique_ptr<at::cuda::MemPool> pool;
};

} // namespace stretto::runtime
