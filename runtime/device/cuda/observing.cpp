// Shows ops to an observer, with the time the device took for each.
#include "runtime/device/cuda/observing.h"

#include "runtime/device/cuda/check.h"

namespace stretto::runtime {

Observing::~Observing() {
  for (const Span &span : spans)
    for (cudaEvent_t event : {span.begin, span.end})
      cudaEventDestroy(event);
  for (cudaEvent_t event : free)
    cudaEventDestroy(event);
}

cudaEvent_t Observing::takeEvent() {
  cudaEvent_t event = nullptr;
  if (free.empty()) {
    check(cudaEventCreate(&event), "make an event");
  } else {
    event = free.back();
    free.pop_back();
  }
  return event;
}

void Observing::before(const Op &op) {
  if (!observer)
    return;
  observer->before(op);
  begin = takeEvent();
  check(cudaEventRecord(begin, stream), "time an op");
}

void Observing::after(const Op &op, const CallSite &at) {
  if (!observer)
    return;
  const cudaEvent_t end = takeEvent();
  check(cudaEventRecord(end, stream), "time an op");
  spans.push_back({op, at, begin, end});
  if (!observer->looksAtResults())
    return;
  check(cudaEventSynchronize(end), "run an op");
  finish();
}

void Observing::show(const Span &span) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, span.begin, span.end), "time an op");
  free.insert(free.end(), {span.begin, span.end});
  if (observer)
    observer->after(span.op, span.at, 1e-3 * static_cast<double>(milliseconds));
}

void Observing::finish() {
  while (!spans.empty()) {
    const Span span = std::move(spans.front());
    spans.pop_front();
    show(span);
  }
}

} // namespace stretto::runtime
