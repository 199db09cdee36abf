// LibTorch's CUDA half on the made-up GPU: its allocator, pools, streams and captures are the real ones, what its
// kernels would compute is computed by its CPU half, when the stream comes to it.
#pragma once

namespace stretto::test {

// How a library attends.
enum class Behaviour {
  Right,
  Slow,      // and right
  Wrong,     // its gradients
  Unwritten, // it computes nothing
  Throws
};

// What flash attention and cuDNN do from now on, forward and backward.
void setBehaviour(Behaviour flash, Behaviour cudnn);

} // namespace stretto::test
