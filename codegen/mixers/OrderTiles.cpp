//===- OrderTiles.cpp - the order of the operations of a tile program -----------===//
//
// Sethi and Ullman's order for trees, applied to a graph: an operation needs as much room as the largest of its
// operands while that is computed, beside those computed before it.
#include "codegen/mixers/OrderTiles.h"

#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class TileOrder {
public:
  explicit TileOrder(kern::WalkOp walk) : walk(walk), block(walk.getBody().front()) {}

  void order();

private:
  SmallVector<Operation *> sourcesInOrder(Operation *op);
  int64_t roomFor(Operation *op);
  void visit(Operation *op);
  void visitEndsOf(Operation *op);
  bool isReady(Operation *op);
  bool isEnd(Operation *op);

  kern::WalkOp walk;
  Block &block;
  llvm::DenseMap<Operation *, int64_t> rooms;
  llvm::SetVector<Operation *> ordered;
};
} // namespace

/// Numbers of a tile; lists take next to nothing.
static int64_t sizeOf(Operation *op) {
  Value result = op->getResult(0);
  return typeOf(result).getRank() == 2 && op->getNumOperands() > 0 && !isa<seq::BroadcastOp>(op) ? elementsOf(result)
                                                                                                 : 0;
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<seq::BroadcastOp, seq::ColumnIndexOp>(op);
}

static bool isReduction(Operation *op) { return isa<seq::ReduceOp, kern::TileSumOp>(op); }

static bool isSum(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op) && typeOf(op->getResult(0)).getRank() == 2;
}

/// What stays in the order in which it is written: where several tiles become one, or less than one.
static bool isAnchor(Operation *op) {
  auto isComputed = [](Value tile) { return tile.getDefiningOp() && sizeOf(tile.getDefiningOp()) > 0; };
  return isReduction(op) || isa<kern::UnitInverseOp, kern::UnitSolveOp>(op) ||
         (isSum(op) && llvm::any_of(op->getOperands(), isComputed));
}

/// The operations that compute operands, each once.
static SmallVector<Operation *> sourcesOf(Operation *op) {
  llvm::SetVector<Operation *> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      sources.insert(source);
  return sources.takeVector();
}

/// First those that need most room beside what stays of them.
SmallVector<Operation *> TileOrder::sourcesInOrder(Operation *op) {
  SmallVector<Operation *> sources = sourcesOf(op);
  llvm::stable_sort(sources,
                    [&](Operation *a, Operation *b) { return roomFor(a) - sizeOf(a) > roomFor(b) - sizeOf(b); });
  return sources;
}

/// What is held at most while an operation and all before it are computed.
int64_t TileOrder::roomFor(Operation *op) {
  if (auto found = rooms.find(op); found != rooms.end())
    return found->second;
  int64_t room = 0, held = 0;
  for (Operation *source : sourcesInOrder(op)) {
    room = std::max(room, held + roomFor(source));
    held += sizeOf(source);
  }
  return rooms[op] = std::max(room, sizeOf(op));
}

void TileOrder::visit(Operation *op) {
  if (ordered.contains(op))
    return;
  for (Operation *source : sourcesInOrder(op))
    visit(source);
  if (!ordered.insert(op))
    return;
  if (sizeOf(op) > 0)
    visitEndsOf(op);
}

/// Whether an operation needs nothing but elementwise operations and what is there.
bool TileOrder::isReady(Operation *op) {
  return llvm::all_of(sourcesOf(op), [&](Operation *source) {
    return ordered.contains(source) || (isElementwise(source) && isReady(source));
  });
}

/// Whether an operation ends the life of tiles: it makes a list of them, or a result.
bool TileOrder::isEnd(Operation *op) {
  return isReduction(op) || llvm::any_of(op->getUses(), [&](OpOperand &use) {
           return use.getOwner() == walk.getYield() && use.getOperandNumber() < walk.getNumResults();
         });
}

/// Through elementwise operations that nothing else reads.
void TileOrder::visitEndsOf(Operation *op) {
  for (Operation *user : op->getUsers()) {
    while (isElementwise(user) && !isEnd(user) && user->hasOneUse())
      user = *user->user_begin();
    if (user != walk.getYield() && isEnd(user) && isReady(user))
      visit(user);
  }
}

void TileOrder::order() {
  SmallVector<Operation *> anchors;
  for (Operation &op : block)
    if (isAnchor(&op))
      anchors.push_back(&op);
  for (Operation *anchor : anchors)
    visit(anchor);
  for (Operation *source : sourcesOf(block.getTerminator()))
    visit(source);
  for (Operation *op : ordered)
    op->moveBefore(block.getTerminator());
}

void stretto::codegen::orderTiles(kern::WalkOp walk) { TileOrder(walk).order(); }
