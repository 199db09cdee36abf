// What the files of the made-up GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <functional>
#include <mutex>
#include <string>

// Guards what the files keep. Nothing that waits holds it.
std::recursive_mutex &gpuMutex();
using GpuLock = std::lock_guard<std::recursive_mutex>;

// Puts work on a stream: it runs as late as it may, or belongs to the graph that is being captured.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

// The device is broken for good; `why`: what it says of that, where CUDA would have no word for it.
void breakDevice(cudaError_t fault, const std::string &why = "");
cudaError_t deviceState();

// Whether this thread must not do now what a capture forbids.
bool isCapturing();
// What a call answers that must not be made while a stream is captured: success where none is. It spoils the capture.
cudaError_t refuseInCapture();
// Whether what is put on the stream belongs to a graph.
bool isCaptured(cudaStream_t stream);

// Whether so many bytes lie in one allocation that is still there.
bool isAllocated(const void *address, size_t bytes);

// The number in a variable of the environment, or what is usual. "7@1" is 7 for rank 1 alone.
size_t numberIn(const char *variable, size_t usual);
