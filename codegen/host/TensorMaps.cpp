//===- TensorMaps.cpp - tensors as bulk tensor copies see them, as the ABI has them ---------===//
#include "codegen/host/TensorMaps.h"

#include "codegen/host/Sites.h"

#include "ir/seq/TensorBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Bytes from the beginning of its buffer to the end of a tensor.
static int64_t reachOf(kern::TensorMapAttr map) {
  int64_t bytes = map.getSizes().back() * elementBytes(map.getElement());
  for (auto [size, stride] : llvm::zip(map.getSizes(), map.getStrides()))
    bytes += (size - 1) * stride;
  return bytes;
}

LogicalResult stretto::codegen::checkTensorMap(Operation *op, kern::TensorMapAttr map, ArrayRef<int64_t> bufferBytes) {
  if (static_cast<size_t>(map.getBuffer()) >= bufferBytes.size())
    return op->emitOpError() << "a tensor map must be of one of the " << bufferBytes.size() << " buffers, but got "
                             << map;
  if (reachOf(map) > bufferBytes[map.getBuffer()])
    return op->emitOpError() << "a tensor must lie in the " << bufferBytes[map.getBuffer()]
                             << " bytes of its buffer, but got " << map;
  return success();
}

/// As CUDA counts dimensions: the last one first.
static SmallVector<int64_t> lastFirst(ArrayRef<int64_t> numbers) { return llvm::to_vector(llvm::reverse(numbers)); }

AbiStruct<stretto_tensor_map> stretto::codegen::describeTensorMap(kern::TensorMapAttr map) {
  using Map = stretto_tensor_map;
  SmallVector<int64_t> strides = lastFirst(map.getStrides());
  strides.insert(strides.begin(), elementBytes(map.getElement()));
  return AbiStruct<Map>(map.getContext())
      .set(&Map::buffer, map.getBuffer())
      .set(&Map::dtype, dtypeOf(map.getElement()))
      .set(&Map::rank, static_cast<int32_t>(map.getSizes().size()))
      .set(&Map::sizes, lastFirst(map.getSizes()))
      .set(&Map::strides, strides)
      .set(&Map::box, lastFirst(map.getBox()))
      .set(&Map::swizzle, map.getSwizzle());
}
