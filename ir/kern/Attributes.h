//===- Attributes.h - names of attributes that passes write and read by name -------===//
//
// Those that one part of the compiler alone knows stand there: kernelAttr in Kernels.h, slots in Slots.h.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace stretto::kern {

// Of the module: what it is made for, and what programs need to know before they run.
inline constexpr llvm::StringLiteral targetAttr = "kern.target", cpuAttr = "kern.cpu",
                                     cpuFeaturesAttr = "kern.cpu_features";
inline constexpr llvm::StringLiteral arenasAttr = "kern.arenas", activationBytesAttr = "kern.activation_bytes",
                                     gradientsBeginAttr = "kern.gradients_begin", bucketsAttr = "kern.buckets",
                                     imagesAttr = "kern.images";

// Of a row operation: the number of its kernel. Of a function: it is the body of a scan.
inline constexpr llvm::StringLiteral groupAttr = "kern.group", bodyAttr = "kern.body";

// Of the function of a kernel: what a launch costs; how it is launched, on CPUs and on GPUs.
inline constexpr llvm::StringLiteral bytesMovedAttr = "kern.bytes_moved", flopsAttr = "kern.flops";
inline constexpr llvm::StringLiteral chunksAttr = "kern.chunks", scratchBytesAttr = "kern.scratch_bytes";
inline constexpr llvm::StringLiteral gridAttr = "kern.grid", blockAttr = "kern.block",
                                     bufferBytesAttr = "kern.buffer_bytes", tensorMapsAttr = "kern.tensor_maps";

} // namespace stretto::kern
