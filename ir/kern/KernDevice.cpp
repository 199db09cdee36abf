//===- KernDevice.cpp - rules of what programs carry for a GPU -----------------===//
#include "ir/kern/KernOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

namespace {
/// What bulk tensor copies ask of a tensor (CUDA driver API, cuTensorMapEncodeTiled).
struct TensorMapRules {
  static constexpr size_t mostRank = 5;
  static constexpr int64_t mostSize = int64_t(1) << 32, mostStride = int64_t(1) << 40, mostOfBox = 256, unit = 16;
};
} // namespace

/// The first of `numbers` for which `holds` does not.
template <typename Rule> static std::optional<int64_t> firstWithout(ArrayRef<int64_t> numbers, Rule holds) {
  const auto *found = llvm::find_if_not(numbers, holds);
  return found == numbers.end() ? std::nullopt : std::optional(*found);
}

LogicalResult TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t buffer, Type element,
                                    ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                                    int64_t swizzle) {
  using Rules = TensorMapRules;
  if (buffer < 0)
    return emitError() << "a tensor map must be of a buffer, but got " << buffer;
  if (!element.isF32() && !element.isF64() && !element.isBF16())
    return emitError() << "a tensor map must have elements of f32, f64 or bf16, but got " << element;
  if (sizes.empty() || sizes.size() > Rules::mostRank)
    return emitError() << "a tensor map must have 1 to " << Rules::mostRank << " sizes, but got " << sizes.size();
  if (strides.size() + 1 != sizes.size() || box.size() != sizes.size())
    return emitError() << "a tensor map of " << sizes.size() << " sizes must have " << sizes.size() - 1
                       << " strides and a box of " << sizes.size() << ", but got " << strides.size() << " and "
                       << box.size();
  if (auto size = firstWithout(sizes, [](int64_t size) { return size >= 1 && size <= Rules::mostSize; }))
    return emitError() << "sizes of a tensor map must be 1 to " << Rules::mostSize << ", but got " << *size;
  if (auto stride = firstWithout(strides, [](int64_t stride) {
        return stride > 0 && stride < Rules::mostStride && stride % Rules::unit == 0;
      }))
    return emitError() << "strides of a tensor map must be multiples of " << Rules::unit << " bytes below "
                       << Rules::mostStride << ", but got " << *stride;
  if (auto side = firstWithout(box, [](int64_t side) { return side >= 1 && side <= Rules::mostOfBox; }))
    return emitError() << "sides of a box must be 1 to " << Rules::mostOfBox << ", but got " << *side;
  if (!llvm::is_contained<int64_t>({0, 32, 64, 128}, swizzle))
    return emitError() << "swizzle must be 0, 32, 64 or 128 bytes, but got " << swizzle;
  int64_t row = box.back() * element.getIntOrFloatBitWidth() / 8;
  if (row % Rules::unit || (swizzle && row > swizzle))
    return emitError() << "a row of a box must be a multiple of " << Rules::unit << " bytes"
                       << (swizzle ? llvm::formatv(" and at most the {0} of its swizzle", swizzle).str() : "")
                       << ", but got " << row;
  return success();
}

LogicalResult DeviceKernelOp::verify() {
  if (getSymbol().empty())
    return emitOpError() << "symbol must not be empty";
  ArrayRef<int64_t> grid = getGrid();
  if (grid.size() != 2 || grid[0] < 1 || grid[1] < 1 || grid[0] > mostGridX || grid[1] > mostGridY)
    return emitOpError() << "grid must be two numbers of at least 1, at most " << mostGridX << " and " << mostGridY
                         << ", but got [" << grid << "]";
  if (getBlock() < 32 || getBlock() > 1024 || getBlock() % 32)
    return emitOpError() << "block must be a multiple of 32 up to 1024, but got " << getBlock();
  if (getCluster() < 1 || getCluster() > mostOfCluster || grid[0] % getCluster())
    return emitOpError() << "cluster must be 1 to " << mostOfCluster << " blocks that divide the " << grid[0]
                         << " of the grid in x, but got " << getCluster();
  if (getRegisters() < 1 || getRegisters() > 255)
    return emitOpError() << "registers must be between 1 and 255, but got " << getRegisters();
  for (int64_t number :
       {getSharedBytes(), getDynamicSharedBytes(), getSpillBytes(), getLocalBytes(), getBytesMoved(), getFlops()})
    if (number < 0)
      return emitOpError() << "numbers must not be negative, but got " << number;
  if (getSpillBytes() > getLocalBytes())
    return emitOpError() << "spills must be a part of the " << getLocalBytes() << " bytes of local memory, but got "
                         << getSpillBytes();
  return success();
}
