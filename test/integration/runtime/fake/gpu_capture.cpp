// Captures and graphs of the made-up GPU. A stream joins a capture when it waits for an event of it (a fork), and what
// it does must be awaited by the stream that began it (a join) before the capture ends. STRETTO_FAKE_GPU_UNCAPTURED=1:
// captures nothing, as a process does whose work never comes again: work runs as it comes, and graphs are empty.
// STRETTO_FAKE_GPU_SPOIL=N: the N-th capture is spoiled as it begins. STRETTO_FAKE_GPU_NO_ROOM=N: there is no memory
// for the N-th graph.
#include "test/integration/runtime/fake/gpu_capture.h"

#include "test/integration/runtime/fake/gpu.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

struct CUgraph_st {
  Lanes lanes; // the first is that of the stream that began the capture
};
struct CUgraphExec_st {
  Lanes lanes;
};

namespace {

struct Capture {
  unsigned long long number;
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool spoiled = false;
  std::map<cudaStream_t, std::shared_ptr<Lane>> lanes;
};

std::optional<Capture> current;
thread_local cudaStreamCaptureMode modeOfThread = cudaStreamCaptureModeGlobal;

bool capturesNothing() {
  static const bool nothing = numberIn("STRETTO_FAKE_GPU_UNCAPTURED", 0) != 0;
  return nothing;
}

// Whether this is the time that a variable of the environment names.
bool isNow(const char *variable, size_t time) { return numberIn(variable, 0) == time; }

cudaError_t spoil(cudaError_t reason) {
  current->spoiled = true;
  return reason;
}

// How many tasks of each lane the end of the first one has waited for.
std::map<const Lane *, size_t> awaitedTasks(const std::shared_ptr<Lane> &origin) {
  std::map<const Lane *, size_t> counts{{origin.get(), origin->tasks.size()}};
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto [lane, count] : std::map(counts))
      for (size_t i = 0; i < count; ++i) {
        const std::shared_ptr<Mark> &awaited = lane->tasks[i].awaited;
        if (!awaited)
          continue;
        const auto &tasks = awaited->lane->tasks;
        const auto at =
            std::find_if(tasks.begin(), tasks.end(), [&](const Task &task) { return task.mark == awaited; });
        size_t &known = counts[awaited->lane.get()];
        const size_t reached = static_cast<size_t>(at - tasks.begin()) + 1;
        grows |= reached > known;
        known = std::max(known, reached);
      }
  }
  return counts;
}

// Whether work of a lane was left behind.
bool isUnjoined(const Capture &capture) {
  const auto awaited = awaitedTasks(capture.lanes.at(capture.origin));
  return std::any_of(capture.lanes.begin(), capture.lanes.end(), [&](const auto &entry) {
    const auto &tasks = entry.second->tasks;
    const auto found = awaited.find(entry.second.get());
    const size_t first = found == awaited.end() ? 0 : found->second;
    return std::any_of(tasks.begin() + static_cast<long>(first), tasks.end(),
                       [](const Task &task) { return !!task.work; });
  });
}

Lanes lanesOf(const Capture &capture) {
  Lanes lanes{capture.lanes.at(capture.origin)};
  for (const auto &[stream, lane] : capture.lanes)
    if (stream != capture.origin)
      lanes.push_back(lane);
  return lanes;
}

// The same work once more, with places of its own.
Lanes copyOf(const Lanes &lanes) {
  std::map<std::shared_ptr<Lane>, std::shared_ptr<Lane>> lanesOf;
  std::map<std::shared_ptr<Mark>, std::shared_ptr<Mark>> marksOf;
  Lanes copies;
  for (const auto &lane : lanes)
    copies.push_back(lanesOf[lane] = std::make_shared<Lane>(Lane{{}, lane->priority}));
  const auto copyOfMark = [&](const std::shared_ptr<Mark> &mark) -> std::shared_ptr<Mark> {
    if (!mark)
      return nullptr;
    auto &copy = marksOf[mark];
    if (!copy)
      copy = std::make_shared<Mark>(Mark{lanesOf.at(mark->lane)});
    return copy;
  };
  for (size_t i = 0; i < lanes.size(); ++i)
    for (const Task &task : lanes[i]->tasks)
      copies[i]->tasks.push_back({task.work, copyOfMark(task.mark), copyOfMark(task.awaited)});
  return copies;
}

} // namespace

std::shared_ptr<Lane> capturedLane(cudaStream_t stream) {
  if (!current)
    return nullptr;
  const auto found = current->lanes.find(stream);
  return found == current->lanes.end() ? nullptr : found->second;
}

cudaError_t admitWork(cudaStream_t stream) {
  return capturedLane(stream) && current->spoiled ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

unsigned long long captureOf(cudaStream_t stream) { return capturedLane(stream) ? current->number : 0; }

cudaError_t admitWait(cudaStream_t stream, const Mark &awaited) {
  const unsigned long long own = captureOf(stream);
  if (own == awaited.capture)
    return cudaSuccess;
  if (own != 0)
    return spoil(awaited.capture == 0 ? cudaErrorStreamCaptureIsolation : cudaErrorStreamCaptureMerge);
  if (!current || current->number != awaited.capture)
    return cudaErrorCapturedEvent;
  int priority = 0;
  cudaStreamGetPriority(stream, &priority);
  current->lanes[stream] = std::make_shared<Lane>(Lane{{}, priority});
  return cudaSuccess;
}

bool isCaptured(cudaStream_t stream) {
  const GpuLock lock(gpuMutex());
  return captureOf(stream) != 0;
}

bool isCapturing() {
  const GpuLock lock(gpuMutex());
  if (!current || modeOfThread == cudaStreamCaptureModeRelaxed || current->mode == cudaStreamCaptureModeRelaxed)
    return false;
  return current->thread == std::this_thread::get_id() ||
         (current->mode == cudaStreamCaptureModeGlobal && modeOfThread == cudaStreamCaptureModeGlobal);
}

cudaError_t refuseInCapture() {
  const GpuLock lock(gpuMutex());
  return isCapturing() ? spoil(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

extern "C" {

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  std::swap(*mode, modeOfThread);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  static unsigned long long number = 0;
  const GpuLock lock(gpuMutex());
  if (capturesNothing())
    return deviceState();
  if (current)
    return cudaErrorIllegalState;
  const bool spoiled = isNow("STRETTO_FAKE_GPU_SPOIL", ++number);
  current = Capture{number, stream, mode, std::this_thread::get_id(), spoiled, {{stream, std::make_shared<Lane>()}}};
  return deviceState();
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  const GpuLock lock(gpuMutex());
  *graph = nullptr;
  if (capturesNothing())
    return *graph = new CUgraph_st{{std::make_shared<Lane>()}}, deviceState();
  if (!current)
    return cudaErrorIllegalState;
  if (current->origin != stream)
    return spoil(cudaErrorStreamCaptureUnmatched);
  const Capture ended = std::move(*current);
  current.reset();
  if (ended.spoiled)
    return cudaErrorStreamCaptureInvalidated;
  if (isUnjoined(ended))
    return cudaErrorStreamCaptureUnjoined;
  *graph = new CUgraph_st{lanesOf(ended)};
  return deviceState();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *number,
                                     cudaGraph_t *, const cudaGraphNode_t **, const cudaGraphEdgeData **, size_t *) {
  const GpuLock lock(gpuMutex());
  const unsigned long long own = captureOf(stream);
  *status = own == 0           ? cudaStreamCaptureStatusNone
            : current->spoiled ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  if (number)
    *number = own;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long) {
  static size_t number = 0;
  if (isNow("STRETTO_FAKE_GPU_NO_ROOM", ++number))
    return cudaErrorMemoryAllocation;
  return *executable = new CUgraphExec_st{graph->lanes}, deviceState();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return delete executable, cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return enqueue(stream, [executable] {
    const Lanes lanes = copyOf(executable->lanes);
    for (const auto &lane : lanes) // the first one waits for all others
      runLane(lanes, lane);
  });
}

} // extern "C"
