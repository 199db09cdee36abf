//===- WalkRules.cpp - which walks become device code, and which as loops -----------===//
#include "codegen/cuda/walk/WalkRules.h"

#include "codegen/cuda/walk/TileLayout.h"
#include "ir/seq/TensorShape.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static bool isCodeFor(RankedTensorType type) {
  return type.getRank() < 2 ||
         (type.getRank() == 2 &&
          llvm::all_of(type.getShape(), [](int64_t size) { return size > 0 && size % TileLayout::square == 0; }));
}

static LogicalResult checkTile(Operation *at, const Twine &what, RankedTensorType type) {
  if (isCodeFor(type))
    return success();
  return at->emitOpError() << what << " must be a tile of at most two dimensions, those of a matrix multiples of "
                           << TileLayout::square << ", to become device code, but got " << type;
}

/// Squares become one matrix by halves of one size.
static LogicalResult checkInverse(kern::UnitInverseOp op) {
  auto type = typeOf(op.getResult());
  if (type.getElementType().isF32() && llvm::isPowerOf2_64(type.getDimSize(0)))
    return success();
  return op.emitOpError() << "must be of f32, with a power of 2 of rows, to become device code, but got " << type;
}

LogicalResult stretto::codegen::checkWalk(kern::WalkOp op) {
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (failed(checkTile(op, "argument " + Twine(argument.getArgNumber()) + " of the body", typeOf(argument))))
      return failure();
  for (Operation &inner : body.without_terminator()) {
    DenseElementsAttr elements;
    if (inner.hasTrait<OpTrait::ConstantLike>() &&
        (!matchPattern(&inner, m_Constant(&elements)) || !elements.isSplat()))
      return inner.emitOpError("must have one value to become device code, but got ") << inner.getResult(0).getType();
    if (failed(checkTile(&inner, "result", typeOf(inner.getResult(0)))))
      return failure();
    if (auto inverse = dyn_cast<kern::UnitInverseOp>(inner); inverse && failed(checkInverse(inverse)))
      return failure();
  }
  return success();
}

bool stretto::codegen::isRolled(kern::WalkOp op) {
  bool solves = false, sumsColumns = false;
  for (Operation &inner : op.getBody().front()) {
    solves |= isa<kern::UnitInverseOp, kern::UnitSolveOp>(inner);
    sumsColumns |= isa<kern::PrefixSumOp>(inner) && typeOf(inner.getResult(0)).getRank() == 2;
  }
  return solves && sumsColumns;
}
