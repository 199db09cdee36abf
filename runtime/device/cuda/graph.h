// Work on a stream that is captured once and replayed.
#pragma once

#include "runtime/device/cuda/check.h"

#include <functional>

namespace stretto::runtime {

class Graph {
public:
  Graph() = default;
  ~Graph() {
    if (executable)
      cudaGraphExecDestroy(executable);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  bool captured() const { return executable; }
  // Notes what `work` puts on the stream; nothing of it runs. What the work throws ends the capture, too.
  void capture(cudaStream_t stream, const std::function<void()> &work);
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable, stream), "replay a step"); }

private:
  cudaGraphExec_t executable = nullptr;
};

} // namespace stretto::runtime
