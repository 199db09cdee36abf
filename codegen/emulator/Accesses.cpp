//===- Accesses.cpp - loads, stores and copies ----------------------------------===//
#include "codegen/emulator/Emulation.h"

#include "llvm/Support/MathExtras.h"

#include <cstddef>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
enum Space : unsigned { generic = 0, global = 1, shared = 3, ofCluster = 7 };

/// Where a pointer points.
struct Origin {
  unsigned space;
  Value root; // an argument, the address of a variable, or where nothing more is known
};
} // namespace

static unsigned spaceOf(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); }

static Origin originOf(Value pointer) {
  Origin origin{spaceOf(pointer), pointer};
  while (Operation *op = origin.root.getDefiningOp()) {
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
      break;
    origin.root = op->getOperand(0);
    if (origin.space == Space::generic)
      origin.space = spaceOf(origin.root);
  }
  return origin;
}

/// Size of a number, a pointer or a vector in memory; nothing for other types.
static std::optional<int64_t> bytesOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (auto vector = dyn_cast<VectorType>(type);
      vector && !vector.isScalable() && vector.getElementType().isIntOrFloat())
    return llvm::divideCeil(vector.getNumElements() * vector.getElementTypeBitWidth(), 8);
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return std::nullopt;
}

/// The constant that describes an access.
static FailureOr<Value> describe(ImplicitLocOpBuilder &b, Operation *op, const Origin &origin, int64_t bytes,
                                 int64_t alignment, bool writes, Emulation &emulation) {
  if (origin.space == Space::global) {
    int64_t buffer = emulation.bufferOf(origin.root);
    if (writes && buffer >= 0)
      emulation.facts().written.set(buffer);
    else if (writes)
      emulation.facts().writesAny = true;
    return emulation.describeAccess(b, op, bytes, alignment, buffer, 0);
  }
  auto address = origin.root.getDefiningOp<LLVM::AddressOfOp>();
  auto variable = address ? dyn_cast_or_null<LLVM::GlobalOp>(emulation.lookup(address.getGlobalName())) : nullptr;
  if (!variable)
    return emulation.describeAccess(b, op, bytes, alignment, -1, 0);
  FailureOr<SharedPlace> place = emulation.sharedPlace(op, variable);
  if (failed(place))
    return failure();
  return emulation.describeAccess(b, op, bytes, alignment, place->offset, place->bytes);
}

FailureOr<Value> stretto::codegen::describeAccess(ImplicitLocOpBuilder &b, Operation *op, Value pointer, int64_t bytes,
                                                  int64_t alignment, bool writes, Emulation &emulation) {
  return describe(b, op, originOf(pointer), bytes, alignment, writes, emulation);
}

/// Puts the check in front of a load or a store.
static LogicalResult check(Operation *op, Value pointer, Type type, std::optional<uint64_t> alignment, bool writes,
                           Emulation &emulation) {
  Origin origin = originOf(pointer);
  if (origin.space == Space::generic && origin.root.getDefiningOp<LLVM::AllocaOp>())
    return success();
  if (origin.space != Space::global && origin.space != Space::shared && origin.space != Space::ofCluster)
    return op->emitOpError("must access global or shared memory, or a variable of the thread, to be emulated, but got ")
           << pointer.getType();
  std::optional<int64_t> bytes = bytesOf(type);
  if (!bytes)
    return op->emitOpError("of type ") << type << " is not known to the emulator";
  auto b = emulation.at(op);
  int64_t least = alignment ? *alignment : llvm::PowerOf2Ceil(*bytes);
  FailureOr<Value> access = describe(b, op, origin, *bytes, least, writes, emulation);
  if (failed(access))
    return failure();
  StringRef memory = origin.space == Space::global ? "global" : origin.space == Space::shared ? "shared" : "cluster";
  std::string function = ("stretto_emulator_" + Twine(writes ? "write_" : "read_") + memory).str();
  emulation.facts().partial |= origin.space == Space::ofCluster;
  emulation.facts().waits |= origin.space == Space::ofCluster;
  emulation.call(b, function, Type(), {emulation.self(), pointer, *access});
  return success();
}

template <typename Op> static LogicalResult refuseSpecial(Op op) {
  if (op.getOrdering() != LLVM::AtomicOrdering::not_atomic || op.getVolatile_())
    return op.emitOpError("that is atomic or volatile is not known to the emulator");
  return success();
}

LogicalResult stretto::codegen::rewriteLoad(Operation *op, Emulation &emulation) {
  auto load = cast<LLVM::LoadOp>(op);
  return failed(refuseSpecial(load)) ? failure()
                                     : check(op, load.getAddr(), load.getType(), load.getAlignment(), false, emulation);
}

LogicalResult stretto::codegen::rewriteStore(Operation *op, Emulation &emulation) {
  auto store = cast<LLVM::StoreOp>(op);
  return failed(refuseSpecial(store))
             ? failure()
             : check(op, store.getAddr(), store.getValue().getType(), store.getAlignment(), true, emulation);
}

LogicalResult stretto::codegen::rewriteAddressOf(Operation *op, Emulation &emulation) {
  auto address = cast<LLVM::AddressOfOp>(op);
  auto variable = dyn_cast_or_null<LLVM::GlobalOp>(emulation.lookup(address.getGlobalName()));
  if (!variable || variable.getAddrSpace() != Space::shared)
    return op->emitOpError("must be that of a variable in shared memory to be emulated");
  FailureOr<SharedPlace> place = emulation.sharedPlace(op, variable);
  if (failed(place))
    return failure();
  emulation.later([op, &emulation, offset = place->offset] {
    auto b = emulation.at(op);
    auto pointer = LLVM::LLVMPointerType::get(op->getContext());
    Value memory = emulation.field(b, pointer, offsetof(stretto_emulated_thread, shared));
    Value variable =
        LLVM::GEPOp::create(b, pointer, b.getI8Type(), memory, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    op->replaceAllUsesWith(ValueRange{variable});
    op->erase();
  });
  return success();
}

LogicalResult stretto::codegen::rewritePointerToNumber(Operation *op, Emulation &emulation) {
  if (spaceOf(op->getOperand(0)) != Space::shared)
    return success();
  auto b = emulation.at(op);
  Type type = op->getResult(0).getType();
  Value address =
      emulation.call(b, "stretto_emulator_shared_address", b.getI64Type(), {emulation.self(), op->getOperand(0)})
          .getResult();
  if (type.getIntOrFloatBitWidth() < 64)
    address = LLVM::TruncOp::create(b, type, address);
  op->replaceAllUsesWith(ValueRange{address});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteSpaceCast(Operation *op, Emulation &emulation) {
  emulation.later([op] {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
  return success();
}

LogicalResult stretto::codegen::rewriteAsyncCopy(Operation *op, Emulation &emulation) {
  auto copy = cast<NVVM::CpAsyncOp>(op);
  auto b = emulation.at(op);
  int64_t bytes = copy.getSize();
  FailureOr<Value> write = describe(b, op, originOf(copy.getDst()), bytes, bytes, true, emulation);
  FailureOr<Value> read = describe(b, op, originOf(copy.getSrc()), bytes, bytes, false, emulation);
  if (failed(write) || failed(read))
    return failure();
  Value sourceBytes = copy.getCpSize();
  if (!sourceBytes)
    sourceBytes = LLVM::ConstantOp::create(b, b.getI32Type(), bytes);
  emulation.call(b, "stretto_emulator_copy_async", Type(),
                 {emulation.self(), copy.getDst(), copy.getSrc(), sourceBytes, *write, *read});
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteCommitCopies(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  emulation.call(b, "stretto_emulator_commit_copies", Type(), emulation.self());
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteAwaitCopies(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  Value commits = LLVM::ConstantOp::create(b, b.getI32Type(), cast<NVVM::CpAsyncWaitGroupOp>(op).getN());
  emulation.call(b, "stretto_emulator_await_copies", Type(), {emulation.self(), commits});
  op->erase();
  return success();
}
