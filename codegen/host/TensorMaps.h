//===- TensorMaps.h - tensors as bulk tensor copies see them, as the ABI has them -----------===//
#pragma once

#include "codegen/host/AbiStruct.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Reports a map at the operation that has it, unless its tensor lies in one of the buffers of so many bytes.
llvm::LogicalResult checkTensorMap(mlir::Operation *op, kern::TensorMapAttr map, llvm::ArrayRef<int64_t> bufferBytes);

AbiStruct<stretto_tensor_map> describeTensorMap(kern::TensorMapAttr map);

} // namespace stretto::codegen
