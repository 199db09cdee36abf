//===- Embeddings.h - what the kernels of embeddings share -----------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

#include "mlir/IR/BuiltinOps.h"

namespace stretto {

/// Gives each seq.embed and seq.embed_grad a kernel of its own: the attribute `kern.kernel`, the name of its function and
/// "embed" and a number within it, "gradients.embed0".
void nameEmbeddings(mlir::ModuleOp module);

/// Lanes of the widest vectors that divide a row of `width` numbers, of at most 16 bytes where one takes `bytes`.
int64_t rowLanes(int64_t width, int64_t bytes);

} // namespace stretto
