// What the files of the made-up GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <functional>

// Puts work on a stream: it runs at the next wait, or belongs to the graph that is being captured.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
