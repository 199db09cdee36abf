//===- ArenaBounds.cpp - slots lie within their arenas ---------------------------===//
#include "codegen/memory/ArenaBounds.h"

#include "codegen/memory/Shadow.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Slots.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"
#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// What lies in a slot.
struct Placed {
  Operation *op; // that errors are of
  std::string name;
  Type type;
  int64_t rowStride; // elements
  int64_t unit;      // bytes; the slot is at a multiple of them, in every iteration
};

class BoundsCheck {
public:
  BoundsCheck(ModuleOp module, ArrayRef<int64_t> arenaBytes)
      : module(module), arenaBytes(arenaBytes), scans(passes::scansByBody(module)) {}

  LogicalResult run() {
    for (auto parameter : module.getOps<seq::ParameterOp>())
      if (failed(checkSymbol(parameter, parameter.getTensorType())))
        return failure();
    for (auto cache : module.getOps<seq::CacheOp>())
      if (failed(checkSymbol(cache, cache.getTensorType())))
        return failure();
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(checkFunction(function)))
        return failure();
    return success();
  }

private:
  LogicalResult checkSymbol(Operation *op, RankedTensorType type) {
    kern::SlotAttr slot = kern::slotOfSymbol(op);
    return check({op, "its slot", type, type.getShape().back(), passes::slotAlignment}, slot, slot.getStride());
  }

  LogicalResult checkFunction(func::FuncOp function) {
    seq::ScanOp scan = scans.lookup(function);
    for (BlockArgument argument : function.getArguments())
      if (failed(checkValue(argument, function, "the slot of argument " + Twine(argument.getArgNumber()), scan)))
        return failure();
    for (Operation &op : function.getBody().front())
      for (OpResult result : op.getResults())
        if (failed(checkValue(result, &op, "the slot of result " + Twine(result.getResultNumber()), scan)))
          return failure();
    return scan ? success() : checkResults(function);
  }

  /// `scan`: that iterates the value; null outside of bodies, where a stride is that of a stack.
  LogicalResult checkValue(Value value, Operation *op, const Twine &name, seq::ScanOp scan) {
    Placed placed{op, name.str(), value.getType(), rowStride(value), unitOf(value)};
    kern::SlotAttr slot = kern::slotOf(value);
    return scan ? check(placed, slot, 0, scan.getTrips()) : check(placed, slot, slot.getStride());
  }

  LogicalResult checkResults(func::FuncOp entry) {
    for (auto [i, value] : llvm::enumerate(entry.getBody().front().getTerminator()->getOperands())) {
      Placed placed{entry, ("the slot of result " + Twine(i)).str(), value.getType(), columnsOf(value), unitOf(value)};
      if (failed(check(placed, kern::slotOfResult(entry, i), 0)))
        return failure();
    }
    return success();
  }

  static int64_t unitOf(Value value) { return std::max<int64_t>(1, elementBytes(value)); }

  /// Slots move evenly: they are where they are in the first or in the last iteration, or between.
  LogicalResult check(const Placed &placed, kern::SlotAttr slot, int64_t lead, int64_t trips = 1) {
    const int64_t last = slot.getParity() ? std::min<int64_t>(trips - 1, 1) : trips - 1;
    const int64_t steps = lead ? cast<RankedTensorType>(placed.type).getDimSize(0) - 1 : last;
    if (failed(checkNumbers(placed, slot, steps)))
      return failure();
    for (int64_t iteration : {int64_t(0), last})
      if (failed(checkSpan(placed, spanOf(placed.type, slot, iteration, placed.rowStride, lead))))
        return failure();
    return success();
  }

  /// The numbers of a slot alone, and the way of all steps; with them spans can be computed.
  LogicalResult checkNumbers(const Placed &placed, kern::SlotAttr slot, int64_t steps) {
    const int64_t most = bytesOf(slot.getArena()), offset = slot.getOffset(), stride = slot.getStride();
    auto isWithin = [](int64_t number, int64_t limit) { return number >= -limit && number <= limit; };
    if (!isWithin(offset, most) || !isWithin(stride, steps > 0 ? most / steps : most))
      return reportOutside(placed, slot.getArena()) << "its offset is " << offset << " and its stride " << stride;
    if (offset % placed.unit != 0)
      return reportUneven(placed, slot.getArena()) << "it is at " << offset;
    if (stride % placed.unit != 0)
      return reportUneven(placed, slot.getArena()) << "its stride is " << stride;
    return success();
  }

  LogicalResult checkSpan(const Placed &placed, const Span &span) {
    if (span.begin() < 0 || span.end() > bytesOf(span.arena))
      return reportOutside(placed, span.arena) << "it has the bytes " << span.begin() << " to " << span.end();
    return success();
  }

  InFlightDiagnostic reportOutside(const Placed &placed, kern::Arena arena) {
    return placed.op->emitOpError() << "must have " << placed.name << " within the " << bytesOf(arena)
                                    << " bytes of the arena " << kern::stringifyArena(arena) << ", as "
                                    << kern::arenasAttr << " says, but ";
  }

  InFlightDiagnostic reportUneven(const Placed &placed, kern::Arena arena) {
    return placed.op->emitOpError() << "must have " << placed.name << " at a multiple of " << placed.unit
                                    << " in the arena " << kern::stringifyArena(arena) << ", but ";
  }

  int64_t bytesOf(kern::Arena arena) const { return arenaBytes[static_cast<size_t>(arena)]; }

  ModuleOp module;
  ArrayRef<int64_t> arenaBytes;
  llvm::DenseMap<Operation *, seq::ScanOp> scans; // by their bodies
};
} // namespace

LogicalResult stretto::codegen::checkArenaBounds(ModuleOp module) {
  auto bytes = module->getAttrOfType<DenseI64ArrayAttr>(kern::arenasAttr);
  return bytes ? BoundsCheck(module, bytes.asArrayRef()).run() : success();
}
