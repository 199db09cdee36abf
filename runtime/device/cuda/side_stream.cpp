// A stream beside the one of the device.
#include "runtime/device/cuda/side_stream.h"

#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/torch_work.h"

namespace stretto::runtime {

CudaSideStream::CudaSideStream(cudaStream_t main, Put put) : main(main), put(std::move(put)) {
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "ask for the priorities of streams");
  check(cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, greatest), "make a stream");
  atMain = makeEvent(), atSide = makeEvent();
}

CudaSideStream::~CudaSideStream() {
  cudaStreamSynchronize(side);
  marks.insert(marks.end(), {atMain, atSide});
  for (cudaEvent_t event : marks)
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

cudaEvent_t CudaSideStream::makeEvent() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make an event");
  return event;
}

int64_t CudaSideStream::mark() {
  if (used == marks.size())
    marks.push_back(makeEvent());
  check(cudaEventRecord(marks[used], side), "note a place in a stream");
  return static_cast<int64_t>(used++);
}

void CudaSideStream::await(int64_t mark) {
  check(cudaStreamWaitEvent(main, marks[mark], cudaEventWaitDefault), "let streams wait for each other");
}

void CudaSideStream::join() {
  wait(main, side, atSide);
  used = 0;
}

void CudaSideStream::wait(cudaStream_t waiting, cudaStream_t awaited, cudaEvent_t event) {
  check(cudaEventRecord(event, awaited), "note a place in a stream");
  check(cudaStreamWaitEvent(waiting, event, cudaEventWaitDefault), "let streams wait for each other");
}

} // namespace stretto::runtime
