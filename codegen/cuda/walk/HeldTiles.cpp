//===- HeldTiles.cpp - which tiles of a walk the registers hold, and when --------===//
#include "codegen/cuda/walk/HeldTiles.h"

#include "codegen/cuda/walk/TileLayout.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int64_t stretto::codegen::warpsOfWalk(kern::WalkOp walk) {
  constexpr int64_t smallTile = 2048; // elements
  int64_t largest = 0;
  auto consider = [&](Value tile) { largest = std::max(largest, elementsOf(tile)); };
  for (Value argument : walk.getBody().getArguments())
    consider(argument);
  for (Operation &inner : walk.getBody().front().without_terminator())
    consider(inner.getResult(0));
  return largest <= smallTile ? 4 : 8;
}

bool stretto::codegen::isDeferred(Operation *op) {
  return isa<kern::TileMatmulOp>(op) && op->hasOneUse() && isa<arith::AddFOp>(*op->user_begin());
}

static bool isDeferredValue(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isDeferred(op);
}

/// What computes or moves elements by themselves.
static bool movesElements(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<seq::BroadcastOp, seq::ColumnIndexOp>(op);
}

static bool sumsMatmul(Operation *op) {
  return isa<arith::AddFOp>(op) && llvm::any_of(op->getOperands(), isDeferredValue);
}

HeldTiles::HeldTiles(kern::WalkOp walk)
    : walk(walk), warps(warpsOfWalk(walk)), held(walk.getSharedState() ? ValueRange() : walk.getCarried()) {
  for (auto [number, op] : llvm::enumerate(walk.getBody().front()))
    places[&op] = number;
  for (Operation &op : walk.getBody().front().without_terminator()) {
    decide(op);
    count(op);
  }
}

int64_t HeldTiles::registersOf(Value tile) {
  TileLayout layout(typeOf(tile).getShape(), warps);
  return llvm::divideCeil(layout.parts() * layout.lanes() * typeOf(tile).getElementTypeBitWidth(), 32);
}

/// What reads its operands from shared memory.
static bool readsShared(Operation *op) {
  return isa<kern::TileMatmulOp, kern::UnitInverseOp, kern::UnitSolveOp, kern::PrefixSumOp>(op);
}

bool HeldTiles::isForOthers(Operation *op) { return llvm::all_of(op->getUsers(), readsShared); }

/// Whether registers hold the result of an operation.
bool HeldTiles::isMade(Operation *op) {
  return (made.contains(op) && !isForOthers(op)) || sumsMatmul(op) || (isa<kern::TileMatmulOp>(op) && !isDeferred(op));
}

/// Whether an operation reads all of its operands where it stands. What is stored as a result is read where it is made.
bool HeldTiles::isConsumer(Operation *op, Operation *reader) {
  if (op == reader || made.contains(op) || isMade(op))
    return true;
  if (isDeferred(op))
    return false;
  return !movesElements(op) || llvm::is_contained(op->getUsers(), walk.getYield().getOperation());
}

/// Whether an operation at `by` or before has brought a tile to shared memory.
bool HeldTiles::isInShared(Value tile, unsigned by) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) { return places.lookup(user) <= by && readsShared(user); });
}

/// Whether all that reads a tile stands at `by` or before; `reader` reads its operands where it stands.
bool HeldTiles::isRead(Value tile, unsigned by, Operation *reader) {
  return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<kern::YieldOp>(user))
      return use.getOperandNumber() < walk.getNumResults();
    if (places.lookup(user) > by)
      return false;
    return isConsumer(user, reader) || isInShared(user->getResult(0), by) || isRead(user->getResult(0), by, reader);
  });
}

/// The tiles in registers that a tile is computed from.
void HeldTiles::addLeaves(Value tile, Leaves &leaves) {
  Operation *op = tile.getDefiningOp();
  if (op ? isMade(op) : !walk.getSharedState() && llvm::is_contained(walk.getCarried(), tile)) {
    leaves.insert(tile);
    return;
  }
  if (op && movesElements(op) && !sumsMatmul(op))
    for (Value operand : op->getOperands())
      if (typeOf(operand).getRank() == 2)
        addLeaves(operand, leaves);
}

void HeldTiles::decide(Operation &op) {
  Value result = op.getResult(0);
  bool isCandidate = op.hasTrait<OpTrait::Elementwise>() && op.getNumOperands() > 0 && typeOf(result).getRank() == 2;
  if (!isCandidate || isMade(&op))
    return;
  Leaves leaves;
  addLeaves(result, leaves);
  int64_t freed = 0;
  for (Value leaf : leaves)
    freed += isRead(leaf, places.lookup(&op), &op) ? registersOf(leaf) : 0;
  if (freed > 0 && freed >= registersOf(result))
    made.insert(&op);
}

void HeldTiles::count(Operation &op) {
  unsigned place = places.lookup(&op);
  llvm::erase_if(held, [&](Value tile) { return isRead(tile, place, nullptr); });
  if (isMade(&op))
    held.push_back(op.getResult(0));
  int64_t all = 0;
  for (Value tile : held)
    all += registersOf(tile);
  mostHeld = std::max(mostHeld, all);
}
