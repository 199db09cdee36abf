// A stream beside the one of the device.
#include "runtime/device/cuda/side_stream.h"

#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/torch_work.h"

namespace stretto::runtime {

CudaSideStream::CudaSideStream(cudaStream_t main, Put put) : main(main), put(std::move(put)) {
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "ask for the priorities of streams");
  check(cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, greatest), "make a stream");
  for (cudaEvent_t *event : {&atMain, &atSide})
    check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "make an event");
}

CudaSideStream::~CudaSideStream() {
  cudaStreamSynchronize(side);
  for (cudaEvent_t event : {atMain, atSide})
    cudaEventDestroy(event);
  cudaStreamDestroy(side);
}

void CudaSideStream::call(std::function<void()> work) {
  put(WorkOp{[&] {
        const OnStream scope(side);
        work();
      }},
      side);
}

void CudaSideStream::wait(cudaStream_t waiting, cudaStream_t awaited, cudaEvent_t event) {
  check(cudaEventRecord(event, awaited), "note a place in a stream");
  check(cudaStreamWaitEvent(waiting, event, cudaEventWaitDefault), "let streams wait for each other");
}

} // namespace stretto::runtime
