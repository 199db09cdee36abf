// Work on a stream that is captured once and replayed.
#include "runtime/device/cuda/graph.h"

namespace stretto::runtime {

void Graph::capture(cudaStream_t stream, const std::function<void()> &work) {
  // Other threads may call CUDA meanwhile; this one calls nothing that a capture forbids.
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture a step (--graph=off does without)");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph)
      cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capture a step (--graph=off does without)");
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "make a graph of a step (--graph=off does without)");
}

} // namespace stretto::runtime
