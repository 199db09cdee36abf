//===- SeqRows.cpp - what row operations say of elements and memory -----------===//
#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

//===- Movements --------------------------------------------------------------===//

Element ReshapeOp::getSource(int64_t element) { return {0, element}; }

Element SliceOp::getSource(int64_t element) {
  int64_t width = columnsOf(getResult());
  return {0, element / width * columnsOf(getOperand()) + static_cast<int64_t>(getOffset()) + element % width};
}

Element ConcatOp::getSource(int64_t element) {
  int64_t width = columnsOf(getResult());
  int64_t row = element / width, column = element % width;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    int64_t part = columnsOf(input);
    if (column < part)
      return {static_cast<int64_t>(i), row * part + column};
    column -= part;
  }
  llvm_unreachable("the parts of a concat cover its columns");
}

Element BroadcastOp::getSource(int64_t element) {
  ArrayRef<int64_t> shape = typeOf(getResult()).getShape(), dims = getDims();
  int64_t source = 0, stride = 1;
  int64_t next = static_cast<int64_t>(dims.size()) - 1;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    int64_t digit = element % shape[dim];
    element /= shape[dim];
    if (next >= 0 && dims[next] == dim) {
      source += digit * stride;
      stride *= shape[dim];
      --next;
    }
  }
  return {0, source};
}

Element PermuteOp::getSource(int64_t element) {
  int64_t column = element % columnsOf(getResult());
  int64_t rotated = getRotated(), half = rotated / 2;
  if (column >= rotated)
    return {0, element};
  if (getStyle() == PairStyle::interleaved)
    return {0, column % 2 == 0 ? element + 1 : element - 1};
  return {0, column < half ? element + half : element - half};
}

//===- Columns of wider values ------------------------------------------------===//

int64_t SliceOp::getFirstColumn(unsigned) { return static_cast<int64_t>(getOffset()); }

int64_t ConcatOp::getFirstColumn(unsigned operand) {
  return llvm::sum_of(llvm::map_range(getInputs().take_front(operand), columnsOf));
}
