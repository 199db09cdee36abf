//===- DuplicateProducers.cpp - producers that cost more to pass on than to recompute -------------===//
#include "passes/fusion/GroupCost.h"
#include "passes/fusion/Passes.h"
#include "passes/support/OperationCost.h"
#include "passes/support/StoredBytes.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/Marks.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace stretto::passes {
#define GEN_PASS_DEF_DUPLICATEPRODUCERS
#include "passes/fusion/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

static std::optional<int64_t> groupOf(Operation *op) {
  auto number = op ? op->getAttrOfType<IntegerAttr>(kern::groupAttr) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

namespace {
using Ops = llvm::SmallSetVector<Operation *, 16>;
using Values = llvm::SmallSetVector<Value, 8>;

/// What one kernel passes on to another, and what computing it there would take.
struct Passage {
  Ops readers;   ///< members of the reading kernel
  Values passed; ///< results of the making kernel that they read
  Ops chain;     ///< operations to duplicate, last first
  Values inputs; ///< what the chain reads from memory
};

/// Copies what a kernel is to compute as well. Copies stand right behind what they copy: there is what they read, and
/// every reader comes later.
class ProducerCopier {
public:
  ProducerCopier(RowRoles &roles, MLIRContext *context) : roles(roles), builder(context) {}

  /// Copies a member of a kernel, behind what it reads; returns the copy and its role.
  std::pair<Operation *, RowRole> copyMember(Operation *op) {
    copyDuplicated(op);
    return copy(op);
  }
  /// Lets an operation read copies in place of what was copied.
  void readCopies(Operation *op) {
    copyDuplicated(op);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(copies.lookupOrDefault(operand.get()));
  }

private:
  std::pair<Operation *, RowRole> copy(Operation *op) {
    builder.setInsertionPointAfter(op);
    Operation *copied = builder.clone(*op, copies);
    return {copied, roles.addCopy(copied, op)};
  }

  /// What is duplicated with an operation is copied with it where it depends on a copy.
  void copyDuplicated(Operation *of) {
    llvm::SmallPtrSet<Operation *, 8> passed;
    auto walk = [&](auto &&self, Operation *op) -> void {
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || roles.getRole(def) != RowRole::duplicated || copies.contains(operand) || !passed.insert(def).second)
          continue;
        self(self, def);
        if (llvm::any_of(def->getOperands(), [&](Value value) { return copies.contains(value); }))
          copy(def);
      }
    };
    walk(walk, of);
  }

  RowRoles &roles;
  OpBuilder builder;
  IRMapping copies;
};

class ProducerDuplicator {
public:
  ProducerDuplicator(func::FuncOp function, const RowAnalysis &rows, double operationsPerByte, int64_t keptRows)
      : function(function), rows(rows), roles(function, rows), operationsPerByte(operationsPerByte),
        keptRows(keptRows) {}

  void run() {
    for (Operation &op : function.getBody().front())
      if (std::optional<int64_t> group = groupOf(&op))
        members[*group].push_back(&op);
    for (auto &[reader, unused] : members)
      for (std::optional<int64_t> maker; (maker = nextMaker(reader, maker));) {
        Passage passage = find(*maker, reader);
        bool isAllowed =
            llvm::none_of(members[reader], isMarkedNoFuse) &&
            llvm::none_of(passage.chain, [&](Operation *op) { return isMarkedNoFuse(op) || readsFar(op); });
        if (!passage.chain.empty() && isAllowed && isCheaper(passage, reader))
          duplicate(passage, reader);
      }
    eraseUnread();
  }

private:
  /// Calls `visit` for each value that `op` reads and that is not duplicated with it, `pass` for what is.
  void eachRead(
      Operation *op, function_ref<void(Value)> visit, function_ref<void(Operation *)> pass = [](Operation *) {}) const {
    llvm::SmallPtrSet<Operation *, 8> passed;
    auto walk = [&](auto &&self, Operation *reader) -> void {
      if (!passed.insert(reader).second)
        return;
      for (Value operand : reader->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (def && roles.getRole(def) == RowRole::duplicated) {
          pass(def);
          self(self, def);
        } else {
          visit(operand);
        }
      }
    };
    walk(walk, op);
  }
  bool readsFar(Operation *op) const;

  /// The least group after `last` that a reading kernel reads from, which changes where something is duplicated in it.
  std::optional<int64_t> nextMaker(int64_t reader, std::optional<int64_t> last) const;
  Passage find(int64_t maker, int64_t reader) const;
  bool isCheaper(const Passage &passage, int64_t reader) const;
  void duplicate(const Passage &passage, int64_t reader);
  void eraseUnread();

  func::FuncOp function;
  const RowAnalysis &rows;
  RowRoles roles;
  double operationsPerByte;
  int64_t keptRows;
  std::map<int64_t, SmallVector<Operation *>> members; // of groups, in the order of their numbers
};
} // namespace

/// Whether taps bring what an operation reads from further away than a kernel keeps rows.
bool ProducerDuplicator::readsFar(Operation *op) const {
  bool isFar = false;
  eachRead(
      op, [](Value) {},
      [&](Operation *def) {
        auto tap = dyn_cast<seq::TapOp>(def);
        isFar |= tap && std::abs(tap.getOffsetAttr().getInt()) > keptRows;
      });
  return isFar;
}

std::optional<int64_t> ProducerDuplicator::nextMaker(int64_t reader, std::optional<int64_t> last) const {
  std::optional<int64_t> next;
  for (Operation *op : members.at(reader))
    eachRead(op, [&](Value value) {
      std::optional<int64_t> maker = groupOf(value.getDefiningOp());
      if (maker && maker != reader && maker > last && (!next || maker < next)) // nothing is less than any number
        next = maker;
    });
  return next;
}

/// The chain ends at what the maker reads itself and at its reductions, whose results are short.
Passage ProducerDuplicator::find(int64_t maker, int64_t reader) const {
  Passage passage;
  for (Operation *op : members.at(reader))
    eachRead(op, [&](Value value) {
      Operation *def = value.getDefiningOp();
      if (def && groupOf(def) == maker && rows.isRow(value) && !isa<seq::ReduceOp, seq::ColumnSumOp>(def)) {
        passage.readers.insert(op);
        passage.passed.insert(value);
      }
    });
  llvm::SmallPtrSet<Operation *, 16> needed;
  for (Value value : passage.passed)
    needed.insert(value.getDefiningOp());
  for (Operation *op : llvm::reverse(members.at(maker))) {
    if (!needed.contains(op))
      continue;
    passage.chain.insert(op);
    eachRead(op, [&](Value value) {
      Operation *def = value.getDefiningOp();
      if (def && groupOf(def) == maker && !isa<seq::ReduceOp>(def))
        needed.insert(def);
      else
        passage.inputs.insert(value);
    });
  }
  return passage;
}

bool ProducerDuplicator::isCheaper(const Passage &passage, int64_t reader) const {
  Values known; // what the reader has anyway
  for (Operation *op : members.at(reader))
    eachRead(op, [&](Value value) { known.insert(value); });
  double now = 0, then = 0;
  for (Value value : passage.passed) {
    bool othersRead = roles.isReadElsewhere(
        value, [&](Operation *op) { return groupOf(op) == groupOf(value.getDefiningOp()) || groupOf(op) == reader; });
    now += storedBytes(value) * (othersRead ? 1 : 2) * operationsPerByte;
  }
  for (Value value : passage.inputs)
    if (rows.isRow(value) && !known.contains(value))
      then += storedBytes(value) * (groupOf(value.getDefiningOp()) ? 2 : 1) * operationsPerByte;
  for (Operation *op : passage.chain)
    then += costOfOperation(op) * 2; // half of it again for rows beside a block
  return then < now;
}

static void report(const Passage &passage) {
  int64_t bytes = 0;
  for (Value value : passage.passed)
    bytes += storedBytes(value);
  Operation *first = passage.readers.front();
  auto function = first->getParentOfType<func::FuncOp>();
  remark::passed(first->getLoc(),
                 remark::RemarkOpts::name("DuplicatedProducers").category("fusion").function(function.getName()))
      << (std::to_string(passage.chain.size()) + " row operations duplicated in the kernel that reads them")
      << remark::metric("BytesNotMoved", bytes);
}

void ProducerDuplicator::duplicate(const Passage &passage, int64_t reader) {
  ProducerCopier copier(roles, function.getContext());
  for (Operation *op : llvm::reverse(passage.chain)) {
    auto [copy, role] = copier.copyMember(op);
    if (role == RowRole::member) {
      copy->setAttr(kern::groupAttr, Builder(copy).getI64IntegerAttr(reader));
      members[reader].push_back(copy);
    } else {
      copy->removeAttr(kern::groupAttr);
    }
  }
  llvm::sort(members[reader], [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : passage.readers)
    copier.readCopies(op);
  report(passage);
}

/// What only its copies read now.
void ProducerDuplicator::eraseUnread() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (roles.getRole(&op) != RowRole::outside && op.use_empty())
      op.erase();
}

namespace {
struct DuplicateProducersPass : stretto::passes::impl::DuplicateProducersBase<DuplicateProducersPass> {
  using DuplicateProducersBase::DuplicateProducersBase;

  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    getOperation().walk([&](func::FuncOp function) {
      if (!function.isExternal())
        ProducerDuplicator(function, rows, operationsPerByte, keptRows).run();
    });
  }
};
} // namespace
