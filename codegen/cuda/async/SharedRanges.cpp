//===- SharedRanges.cpp - which parts of shared memory operations access --------------===//
#include "codegen/cuda/async/SharedRanges.h"

#include "codegen/cuda/async/AsyncChecks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Where an address counts from.
struct Base {
  StringAttr variable; // null: not known
  int64_t offset = 0;  // in bytes
  bool isExact = true; // nothing is added that is no constant
};

/// Follows an address back to the variables that it may belong to.
class Bases {
public:
  SmallVector<Base, 1> of(Value address) {
    follow(address, /*more=*/0, /*isExact=*/true);
    return std::move(found);
  }

private:
  void follow(Value value, int64_t more, bool isExact);
  void followNumber(Value value);
  void followElement(LLVM::GEPOp op, int64_t more, bool isExact);

  SmallVector<Base, 1> found;
  llvm::SmallPtrSet<Value, 16> seen; // block arguments and numbers, which may depend on themselves
};
} // namespace

SmallVector<Value> stretto::codegen::incomingValues(BlockArgument argument) {
  SmallVector<Value> result;
  Block *block = argument.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
    if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
      if (Value value = branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()])
        result.push_back(value);
  return result;
}

bool stretto::codegen::isSharedPointer(Value value) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(value.getType());
  return pointer && (pointer.getAddressSpace() == static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared) ||
                     pointer.getAddressSpace() == static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
}

/// `more`: what is added to the value; exactly that, or something variable besides.
void Bases::follow(Value value, int64_t more, bool isExact) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!seen.insert(value).second)
      return;
    SmallVector<Value> values = incomingValues(argument);
    for (Value each : values)
      follow(each, more, /*isExact=*/false);
    if (values.empty())
      found.push_back({});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return found.push_back({address.getGlobalNameAttr().getAttr(), more, isExact});
  if (auto element = dyn_cast<LLVM::GEPOp>(op))
    return followElement(element, more, isExact);
  if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp, NVVM::MapaOp>(op))
    return follow(op->getOperand(0), more, isExact);
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    follow(select.getTrueValue(), more, isExact);
    return follow(select.getFalseValue(), more, isExact);
  }
  if (value.getType().isIntOrIndex())
    return followNumber(value);
  found.push_back({});
}

/// Only constants in front of the first variable index move where an array begins.
void Bases::followElement(LLVM::GEPOp op, int64_t more, bool isExact) {
  DataLayout layout = DataLayout::closest(op);
  int64_t offset = 0;
  Type type = op.getElemType();
  for (auto [i, index] : llvm::enumerate(op.getIndices())) {
    auto constant = dyn_cast<IntegerAttr>(index);
    auto array = dyn_cast<LLVM::LLVMArrayType>(type);
    if (!constant || (i > 0 && !array))
      return follow(op.getBase(), offset, /*isExact=*/false);
    if (i > 0)
      type = array.getElementType();
    offset += constant.getInt() * static_cast<int64_t>(layout.getTypeSize(type));
  }
  follow(op.getBase(), offset + more, isExact);
}

/// The pointers that a number is made from.
void Bases::followNumber(Value value) {
  SmallVector<Value> work{value};
  size_t before = found.size();
  while (!work.empty()) {
    Value each = work.pop_back_val();
    if (!each.getType().isIntOrIndex() || !seen.insert(each).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(each))
      llvm::append_range(work, incomingValues(argument));
    else if (auto pointer = each.getDefiningOp<LLVM::PtrToIntOp>())
      follow(pointer.getArg(), 0, /*isExact=*/false);
    else
      llvm::append_range(work, each.getDefiningOp()->getOperands());
  }
  if (found.size() == before)
    found.push_back({});
}

SharedRanges::SharedRanges(LLVM::LLVMFuncOp function) {
  auto add = [&](Value value, bool isNumber) {
    for (const Base &base : Bases().of(value))
      if (base.variable && (isNumber || !base.isExact))
        arrays[base.variable].insert(base.offset);
  };
  function.walk([&](Operation *op) {
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp, BranchOpInterface>(op))
      for (Value operand : op->getOperands())
        if (isSharedPointer(operand))
          add(operand, isa<LLVM::PtrToIntOp>(op));
  });
}

SharedRangeList SharedRanges::of(Value address, int64_t bytes) const {
  SharedRangeList result;
  for (const Base &base : Bases().of(address)) {
    int64_t end = base.offset + bytes;
    if (!base.isExact) {
      const std::set<int64_t> &begins = arrays.at(base.variable);
      auto next = begins.upper_bound(base.offset);
      end = next == begins.end() ? INT64_MAX : std::max(end, *next);
    }
    result.push_back({base.variable, base.offset, end});
  }
  return result;
}

bool stretto::codegen::anyMeet(const SharedRangeList &left, const SharedRangeList &right) {
  return llvm::any_of(left, [&](const SharedRange &one) {
    return llvm::any_of(right, [&](const SharedRange &other) { return one.meets(other); });
  });
}
