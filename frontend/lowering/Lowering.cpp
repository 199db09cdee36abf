// How operations of an elaborated program become operations of MLIR, by name.
#include "frontend/lowering/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

using LowerFunction = Lowered (*)(const OpToLower &);

static std::vector<llvm::ArrayRef<Lowering>> &families() {
  static std::vector<llvm::ArrayRef<Lowering>> list = {elementwiseLowerings(), sequenceLowerings(), callLowerings()};
  return list;
}

void frontend::addLowerings(llvm::ArrayRef<Lowering> family) { families().push_back(family); }

static const llvm::StringMap<LowerFunction> &lowerings() {
  static const llvm::StringMap<LowerFunction> byName = [] {
    llvm::StringMap<LowerFunction> map;
    for (llvm::ArrayRef<Lowering> family : families())
      for (const Lowering &lowering : family)
        map[lowering.name] = lowering.lower;
    return map;
  }();
  return byName;
}

std::vector<llvm::StringRef> frontend::loweredNames() {
  return std::vector<llvm::StringRef>(lowerings().keys().begin(), lowerings().keys().end());
}

Lowered frontend::lower(const OpToLower &at) {
  LowerFunction lowering = lowerings().lookup(at.op.name);
  if (!lowering)
    llvm::report_fatal_error("no lowering of '" + at.op.name + "'");
  return lowering(at);
}

Value OpToLower::splat(double number, mlir::Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  auto attribute = FloatAttr::get(tensor.getElementType(), number);
  return make<arith::ConstantOp>(DenseElementsAttr::get(tensor, attribute.getValue()));
}
