// Streams and events of the made-up GPU. Each stream is a lane of its own, and work runs when somebody waits: for a
// stream or an event, not by asking whether it has run. STRETTO_FAKE_GPU_FORGET=N: the N-th time that a stream is told
// to wait for an event is forgotten, as if nobody had said so.
#include "test/integration/runtime/fake/gpu.h"
#include "test/integration/runtime/fake/gpu_capture.h"
#include "test/integration/runtime/fake/gpu_lanes.h"

#include <algorithm>

struct CUstream_st {
  std::shared_ptr<Lane> lane = std::make_shared<Lane>();
};
struct CUevent_st {
  std::shared_ptr<Mark> mark; // as it was recorded last
};

namespace {

constexpr int highestPriority = -5;

Lanes lanes; // of all streams

CUstream_st *makeStream(int priority) {
  const GpuLock lock(gpuMutex());
  auto *stream = new CUstream_st;
  stream->lane->priority = priority;
  lanes.push_back(stream->lane);
  return stream;
}

CUstream_st *streamOf(cudaStream_t stream) {
  static CUstream_st *usual = makeStream(0);
  return stream ? stream : usual;
}

Lanes allLanes() {
  const GpuLock lock(gpuMutex());
  return lanes;
}

cudaError_t put(cudaStream_t stream, Task task) {
  const GpuLock lock(gpuMutex());
  if (deviceState() != cudaSuccess)
    return deviceState();
  if (!stream) // it waits for all others
    if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
      return refused;
  if (const cudaError_t refused = admitWork(stream); refused != cudaSuccess)
    return refused;
  const std::shared_ptr<Lane> captured = capturedLane(stream);
  (captured ? captured : streamOf(stream)->lane)->tasks.push_back(std::move(task));
  return cudaSuccess;
}

bool isForgotten() {
  static const size_t forgotten = numberIn("STRETTO_FAKE_GPU_FORGET", 0);
  static size_t waits = 0;
  return ++waits == forgotten;
}

// Null where it was not recorded.
std::shared_ptr<Mark> markOf(cudaEvent_t event) {
  const GpuLock lock(gpuMutex());
  return event->mark;
}

} // namespace

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) { return put(stream, {std::move(work), {}, {}}); }

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return *least = 0, *greatest = highestPriority, cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int priority) {
  return *stream = makeStream(std::clamp(priority, highestPriority, 0)), cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return *priority = streamOf(stream)->lane->priority, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  runLane(allLanes(), stream->lane); // what is on it still runs
  const GpuLock lock(gpuMutex());
  std::erase(lanes, stream->lane);
  return delete stream, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  runLane(allLanes(), streamOf(stream)->lane);
  return deviceState();
}
cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  for (const auto &lane : allLanes())
    runLane(allLanes(), lane);
  return deviceState();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  const GpuLock lock(gpuMutex());
  return streamOf(stream)->lane->tasks.empty() ? deviceState() : cudaErrorNotReady;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return enqueue(stream, [=] { function(data); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const GpuLock lock(gpuMutex());
  if (!event->mark || isForgotten())
    return deviceState();
  if (const cudaError_t refused = admitWait(stream, *event->mark); refused != cudaSuccess)
    return refused;
  return put(stream, {{}, {}, event->mark});
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return *event = new CUevent_st, cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const GpuLock lock(gpuMutex());
  const std::shared_ptr<Lane> captured = capturedLane(stream);
  event->mark = std::make_shared<Mark>(Mark{captured ? captured : streamOf(stream)->lane, captureOf(stream), false, 0});
  return put(stream, {{}, event->mark, {}});
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  const std::shared_ptr<Mark> mark = markOf(event);
  if (mark && mark->capture != 0)
    return cudaErrorCapturedEvent;
  if (mark)
    runLane(allLanes(), mark->lane, mark.get());
  return deviceState();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  const std::shared_ptr<Mark> mark = markOf(event);
  if (mark && mark->capture != 0)
    return cudaErrorCapturedEvent;
  const GpuLock lock(gpuMutex());
  return !mark || mark->reached ? deviceState() : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const std::shared_ptr<Mark> from = markOf(begin), to = markOf(end);
  if (!from || !to || !from->reached || !to->reached)
    return cudaErrorInvalidResourceHandle;
  *milliseconds = to->time - from->time;
  return deviceState();
}

} // extern "C"
