// LibTorch's CUDA half on the made-up GPU: its allocator, pools, streams and captures are the real ones, what its
// kernels would compute is computed by its CPU half, when the stream comes to it.
#pragma once

namespace stretto::test {

// What flash attention does from now on: its gradients are right or not.
void setFlashIsRight(bool right);

} // namespace stretto::test
