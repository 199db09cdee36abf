// What the files of the made-up GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <functional>

// Puts work on a stream: it runs at the next wait, or belongs to the graph that is being captured.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

// The device is broken for good.
void breakDevice(cudaError_t fault);

// Whether a stream is being captured.
bool isCapturing();
// What a call answers that must not be made while a stream is captured: success where none is. It spoils the capture.
cudaError_t refuseInCapture();

// Whether so many bytes lie in one allocation that is still there.
bool isAllocated(const void *address, size_t bytes);
