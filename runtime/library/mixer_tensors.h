// Linear mixers over tensors of any device, by LibTorch's operations: what devices compute that have no kernels of
// their own for them. What is computed is said at seq.mixer (ir/seq/SeqMixerOps.td).
#pragma once

#include <ATen/core/Tensor.h>

namespace stretto::runtime {

// Shapes as at seq.mixer; what is not given is undefined. decay is [columns] where it is the same for all tokens.
struct MixerTensors {
  at::Tensor q, k, v, decay, write, beta, erase, eraseWrite;
  at::Tensor positions; // of tokens in their documents
  int64_t heads = 1, keyHeads = 1;
  double scale = 1;
  bool readsBefore = false;
};

struct MixerGradients {
  at::Tensor dq, dk, dv, dDecay, dWrite, dBeta, dErase, dEraseWrite; // those that are wanted are defined
};

// Writes out, and the states before each segment unless they are undefined.
void mixerForward(const MixerTensors &mixer, int64_t segment, const at::Tensor &out, const at::Tensor &states);
// Writes the gradients.
void mixerBackward(const MixerTensors &mixer, int64_t segment, const at::Tensor &states, const at::Tensor &grad,
                   const MixerGradients &to);
// Goes on from `state`, [batch, heads * dk, dv], and leaves there what it comes to. `positions` and `counts` as at
// seq.mixer_step; mixer.positions is undefined.
void mixerStep(const MixerTensors &mixer, const at::Tensor &positions, const at::Tensor &counts,
               const at::Tensor &state, const at::Tensor &out);

} // namespace stretto::runtime
