// Shows ops to an observer, with the time the device took for each.
#pragma once

#include "runtime/core/device.h"

#include <cuda_runtime_api.h>
#include <deque>

namespace stretto::runtime {

class Observing {
public:
  explicit Observing(cudaStream_t stream) : stream(stream) {}
  ~Observing();
  Observing(const Observing &) = delete;
  Observing &operator=(const Observing &) = delete;

  void observe(OpObserver *next) { observer = next; }
  bool active() const { return observer; }
  // Around the submission of an op.
  void before(const Op &op);
  void after(const Op &op, const CallSite &at);
  // After the stream was waited for: shows what was not yet shown.
  void finish();

private:
  struct Span {
    Op op;
    CallSite at;
    cudaEvent_t begin, end;
  };
  cudaEvent_t takeEvent();
  void show(const Span &span);

  cudaStream_t stream;
  OpObserver *observer = nullptr;
  cudaEvent_t begin = nullptr; // of the op that is being submitted
  std::deque<Span> spans;      // not yet shown
  std::vector<cudaEvent_t> free;
};

} // namespace stretto::runtime
