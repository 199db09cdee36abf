//===- RowRoles.cpp - what fusion may do with an operation ----------------===//
#include "passes/fusion/RowRoles.h"

#include "ir/seq/TensorShape.h"
#include "passes/support/OperationCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

int64_t RowSpace::getRows() const {
  int64_t count = 1;
  for (int64_t size : leading)
    count *= size;
  return count;
}

RowRoles::RowRoles(func::FuncOp function, const RowAnalysis &rows) : rows(rows) {
  for (Block &block : function.getBody())
    for (Operation &op : llvm::reverse(block)) { // readers first
      roles[&op] = findRole(&op);
      if (getRole(&op) != RowRole::duplicated)
        continue;
      if (isReadByParameterRow(op.getResult(0)))
        ofParameterRows.insert(&op);
      if (areColumnsRows(op.getResult(0)))
        withRowColumns.insert(&op);
    }
}

/// Whether fusion looks at an operation: one value is computed.
static bool isFusible(Operation *op) {
  return seq::isRowOperation(op) && op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType());
}

/// Whether a library computes a value, and may write it between others.
static bool isLibraryRow(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && seq::mayBeColumns(result);
}

/// Whether a library writes each piece of a concatenation where it belongs: nothing is left to do.
static bool isJoinOfLibraryRows(Operation *op) {
  return isa<seq::ConcatOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value piece) { return isLibraryRow(piece) && piece.hasOneUse(); });
}

/// Whether an operation that is no kernel reads the result in a way that needs it stored. Views need not be.
bool RowRoles::isReadOutside(Operation *op) const {
  bool isRange = isa<seq::SliceOp>(op) && isLibraryRow(op->getOperand(0));
  return llvm::any_of(op->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<seq::ReshapeOp>(user) && getRole(user) == RowRole::duplicated)
      return isReadOutside(user);
    return getRole(user) == RowRole::outside && !(isRange && seq::mayBeColumns(use));
  });
}

/// Whether a reshape gives elements another row in the kernels that read it: of tokens, or of a parameter.
bool RowRoles::movesBetweenRows(Operation *reshape) const {
  Value result = reshape->getResult(0);
  ArrayRef<int64_t> from = typeOf(reshape->getOperand(0)).getShape(), to = typeOf(result).getShape();
  if (rows.isRow(result))
    return from.take_front(2) != to.take_front(2);
  if (areColumnsRows(result))
    return from != to;
  auto lead = [](ArrayRef<int64_t> shape) { return shape.empty() ? shape : shape.drop_back(); };
  return lead(from) != lead(to) && isReadByParameterRow(result);
}

/// Whether an operation is computed in a kernel of parameter rows.
bool RowRoles::isOfParameterRows(Operation *op) const {
  return ofParameterRows.contains(op) || (getRole(op) == RowRole::member && getSpace(op).isParameter);
}

bool RowRoles::isReadByParameterRow(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return isOfParameterRows(user); });
}

/// Whether an operation repeats a value along the last dimension of its result.
static bool repeatsOverColumns(Operation *op) {
  auto broadcast = dyn_cast<seq::BroadcastOp>(op);
  return broadcast && !broadcast.getDims().empty() && broadcast.getDims().back() + 1 != broadcast.getType().getRank();
}

/// Whether an operation repeats a value along some dimensions of its result, but not along all.
static bool repeatsAlongSome(Operation *op) {
  auto broadcast = dyn_cast<seq::BroadcastOp>(op);
  return broadcast && !broadcast.getDims().empty() &&
         static_cast<int64_t>(broadcast.getDims().size()) < broadcast.getType().getRank();
}

/// Whether a kernel of parameter rows spreads each column of a value over a row.
bool RowRoles::areColumnsRows(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto broadcast = dyn_cast<seq::BroadcastOp>(user);
    if (!broadcast)
      return withRowColumns.contains(user);
    return repeatsOverColumns(broadcast) && isOfParameterRows(user);
  });
}

bool stretto::passes::countsColumns(Operation *op) {
  return isa<seq::SliceOp, seq::ConcatOp, seq::PermuteOp, seq::ReduceOp, seq::ColumnIndexOp>(op);
}

static bool onlyMoves(Operation *op) {
  auto row = dyn_cast<seq::RowOp>(op);
  return row && row.onlyMoves();
}

RowRole RowRoles::findRole(Operation *op) const {
  if (!isFusible(op))
    return RowRole::outside;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return RowRole::duplicated;
  Value result = op->getResult(0);
  RowKind kind = rows.getKind(result);
  auto isOther = [&](Value value) { return rows.getKind(value) == RowKind::other; };
  if (isOther(result) || llvm::any_of(op->getOperands(), isOther))
    return RowRole::outside;
  if (isa<seq::ReshapeOp>(op))
    return movesBetweenRows(op) ? RowRole::outside : RowRole::duplicated;
  if (isa<seq::ColumnSumOp>(op))
    return RowRole::member;
  bool isTruth = typeOf(result).getElementType().isInteger(1); // has no form in memory
  if (isTruth)
    return RowRole::duplicated;
  if (isReadOutside(op))
    return isJoinOfLibraryRows(op) ? RowRole::outside : RowRole::member;
  if ((countsColumns(op) || repeatsAlongSome(op)) && areColumnsRows(result))
    return RowRole::member;
  bool isOnTheWay = onlyMoves(op) || isa<arith::SIToFPOp>(op); // a whole number is as long as the real one it becomes
  if (kind == RowKind::row)
    return isOnTheWay ? RowRole::duplicated : RowRole::member;
  // Simple arithmetic on parameters and tables goes along; what costs more is done once.
  constexpr double costlyCycles = 10; // as divisions and functions take
  bool isCostly = isa<seq::ReduceOp>(op) || cyclesOf(op) >= costlyCycles;
  return isCostly ? RowRole::member : RowRole::duplicated;
}

RowRole RowRoles::addCopy(Operation *copy, Operation *original) {
  RowRole role = getRole(original);
  return roles[copy] = role == RowRole::member && onlyMoves(original) ? RowRole::duplicated : role;
}

RowSpace RowRoles::getSpace(Operation *member) const {
  bool hasOwnShape = !isa<seq::ReduceOp, seq::ColumnSumOp>(member);
  Value value = hasOwnShape ? member->getResult(0) : member->getOperand(0);
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  if (rows.isRow(value))
    return {false, llvm::to_vector<2>(shape.take_front(2))};
  return {true, llvm::to_vector<2>(shape.empty() ? shape : shape.drop_back())};
}

bool RowRoles::isJoinOfSums(Operation *member) const {
  if (!isa<seq::ConcatOp>(member))
    return false;
  auto heads = [](Operation *sum) { return typeOf(sum->getOperand(0)).getShape().drop_back(); };
  Operation *first = member->getOperand(0).getDefiningOp();
  return llvm::all_of(member->getOperands(), [&](Value value) {
    Operation *sum = value.getDefiningOp();
    return isa_and_present<seq::ColumnSumOp>(sum) && heads(sum) == heads(first);
  });
}

llvm::SmallSetVector<Operation *, 8> RowRoles::findReaders(ValueRange values) const {
  llvm::SmallSetVector<Operation *, 8> readers;
  llvm::SmallPtrSet<Operation *, 8> passed;
  SmallVector<Operation *> work;
  for (Value value : values)
    llvm::append_range(work, value.getUsers());
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (getRole(user) != RowRole::duplicated)
      readers.insert(user);
    else if (passed.insert(user).second)
      llvm::append_range(work, user->getUsers());
  }
  return readers;
}

bool RowRoles::isReadElsewhere(Value value, function_ref<bool(Operation *)> inside) const {
  llvm::SmallPtrSet<Operation *, 8> passed;
  SmallVector<Operation *> work(value.getUsers());
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (inside(user))
      continue;
    if (getRole(user) != RowRole::duplicated)
      return true;
    if (passed.insert(user).second)
      llvm::append_range(work, user->getUsers());
  }
  return false;
}
