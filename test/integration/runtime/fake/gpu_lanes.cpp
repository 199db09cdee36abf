// Lanes of the made-up GPU: who runs when.
#include "test/integration/runtime/fake/gpu_lanes.h"

#include "test/integration/runtime/fake/gpu.h"

#include <algorithm>

namespace {

std::recursive_mutex running; // one thread runs lanes at a time

bool othersAreEarly() {
  static const bool early = numberIn("STRETTO_FAKE_GPU_EARLY", 0) != 0;
  return early;
}

// Runs the first task of a lane, unless there is none or it waits.
bool runFirst(Lane &lane) {
  static float now = 0;
  Task task;
  {
    const GpuLock lock(gpuMutex());
    if (lane.tasks.empty() || (lane.tasks.front().awaited && !lane.tasks.front().awaited->reached))
      return false;
    task = std::move(lane.tasks.front());
    lane.tasks.pop_front();
  }
  if (task.work && deviceState() == cudaSuccess)
    task.work();
  const GpuLock lock(gpuMutex());
  if (task.mark)
    task.mark->reached = true, task.mark->time = now += 1;
  return true;
}

void runOthers(Lanes lanes, const Lane &besides) {
  std::stable_sort(lanes.begin(), lanes.end(), [](auto &a, auto &b) { return a->priority < b->priority; });
  for (bool any = true; any;) {
    any = false;
    for (const auto &lane : lanes)
      while (lane.get() != &besides && runFirst(*lane))
        any = true;
  }
}

bool isDone(const Lane &lane, const Mark *end) {
  const GpuLock lock(gpuMutex());
  return lane.tasks.empty() || (end && end->reached);
}

std::shared_ptr<Mark> awaitedBy(const Lane &lane) {
  const GpuLock lock(gpuMutex());
  return lane.tasks.empty() ? nullptr : lane.tasks.front().awaited;
}

} // namespace

void runLane(const Lanes &lanes, const std::shared_ptr<Lane> &lane, const Mark *end) {
  const std::lock_guard one(running);
  while (!isDone(*lane, end)) {
    if (othersAreEarly())
      runOthers(lanes, *lane);
    if (runFirst(*lane))
      continue;
    if (const std::shared_ptr<Mark> awaited = awaitedBy(*lane); awaited && !awaited->reached)
      runLane(lanes, awaited->lane, awaited.get());
  }
}
