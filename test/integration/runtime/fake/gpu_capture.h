// Captures of the made-up GPU. One is under way at a time.
#pragma once

#include "test/integration/runtime/fake/gpu_lanes.h"

#include <cuda_runtime_api.h>

// The lane that work on a stream belongs to while it is captured; null where it is not.
std::shared_ptr<Lane> capturedLane(cudaStream_t stream);
// What work on a stream is refused with: that of a capture which is spoiled already. Success elsewhere.
cudaError_t admitWork(cudaStream_t stream);
// The number of the capture that a stream belongs to; 0: none.
unsigned long long captureOf(cudaStream_t stream);
// A stream waits for a place that may belong to a capture: it joins that one, or the wait is refused, which spoils the
// capture.
cudaError_t admitWait(cudaStream_t stream, const Mark &awaited);
