//===- OutlineGroups.cpp - makes one kern.rowwise of each group ---------------===//
#include "passes/fusion/KernelNames.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/RowForm.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/Purpose.h"

namespace stretto::passes {
#define GEN_PASS_DEF_OUTLINEGROUPS
#include "passes/fusion/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// Puts operations behind what they read, in the order in which going over the block again and again would find them
/// ready. Fails where they wait for each other. (The function of MLIR does go over the block again and again.)
static LogicalResult sortTopologically(Block &block) {
  struct Place {
    unsigned round = 0, index = 0; // ready in that round, where it stood
    unsigned waiting = 0;          // for so many operands that have no round yet
  };
  DenseMap<Operation *, Place> places;
  auto forEachReader = [&](Operation *op, auto visit) {
    for (Operation *user : op->getUsers())
      if (auto reader = places.find(block.findAncestorOpInBlock(*user)); reader != places.end()) // or the terminator
        visit(reader->first, reader->second);
  };
  for (auto [index, op] : llvm::enumerate(block.without_terminator()))
    places[&op].index = index;
  for (Operation &op : block.without_terminator())
    forEachReader(&op, [](Operation *, Place &place) { ++place.waiting; });
  SmallVector<Operation *> ready;
  for (Operation &op : block.without_terminator())
    if (places.at(&op).waiting == 0)
      ready.push_back(&op);
  for (size_t i = 0; i < ready.size(); ++i)
    forEachReader(ready[i], [&, read = places.at(ready[i])](Operation *reader, Place &place) {
      place.round = std::max(place.round, read.round + (read.index > place.index));
      if (--place.waiting == 0)
        ready.push_back(reader);
    });
  llvm::sort(ready, [&](Operation *left, Operation *right) {
    const Place &l = places.at(left), &r = places.at(right);
    return std::pair(l.round, l.index) < std::pair(r.round, r.index);
  });
  for (Operation *op : ready)
    op->moveBefore(block.getTerminator());
  return success(ready.size() == places.size());
}

namespace {
using Members = SmallVector<Operation *>;

class Outliner {
public:
  Outliner(func::FuncOp function, const RowAnalysis &rows) : function(function), roles(function, rows) {
    for (Operation &op : function.getBody().front())
      if (auto number = op.getAttrOfType<IntegerAttr>(kern::groupAttr))
        groups[number.getInt()].push_back(&op);
  }

  LogicalResult run() {
    std::vector<std::pair<RowSpace, Members>> kernels;
    for (auto &[number, members] : groups) {
      kernels.emplace_back(roles.getSpace(members.front()), members);
      if (failed(verify(number, kernels.back().first, members)))
        return failure();
    }
    for (const auto &[number, kernel] : llvm::zip_equal(llvm::make_first_range(groups), kernels))
      if (failed(outline(number, kernel.first, kernel.second)))
        return failure();
    eraseCopied();
    if (failed(sortTopologically(function.getBody().front())))
      return function.emitError() << "groups depend on each other in a circle";
    return success();
  }

private:
  LogicalResult verify(int64_t number, const RowSpace &space, const Members &members) const;
  bool isJoinOfOwnSums(Operation *op, const Members &members) const;
  /// Copies members into the body of a kernel; returns those of their results that are read outside of it.
  FailureOr<SmallVector<Value>> addMembers(RowForm &form, const Members &members) const;
  LogicalResult outline(int64_t number, const RowSpace &space, const Members &members);
  Type typeOfResult(const RowSpace &space, Value inRow) const;
  void eraseCopied();

  func::FuncOp function;
  RowRoles roles;
  std::map<int64_t, Members> groups; // in the order of their numbers
};

/// The view [1, rows, columns...] through which a kernel walks a parameter; null for other values.
Type viewType(const RowSpace &space, Type type) {
  if (!space.isParameter)
    return {};
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{1, space.getRows()};
  llvm::append_range(shape, tensor.getShape().drop_front(space.leading.size()));
  return RankedTensorType::get(shape, tensor.getElementType());
}
} // namespace

bool Outliner::isJoinOfOwnSums(Operation *op, const Members &members) const {
  return roles.isJoinOfSums(op) &&
         llvm::all_of(op->getOperands(), [&](Value sum) { return llvm::is_contained(members, sum.getDefiningOp()); });
}

LogicalResult Outliner::verify(int64_t number, const RowSpace &space, const Members &members) const {
  for (Operation *op : members) {
    if (roles.getRole(op) != RowRole::member)
      return op->emitError() << "kern.group must be on row operations, but got '" << op->getName() << "'";
    if (!(roles.getSpace(op) == space) && !isJoinOfOwnSums(op, members)) {
      InFlightDiagnostic error = op->emitError()
                                 << "operations of kern.group " << number << " must run over the same rows";
      error.attachNote(members.front()->getLoc()) << "the group begins here";
      return error;
    }
  }
  return success();
}

/// Sums that were joined, and copies that only they read.
static void eraseUnused(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(body))))
    if (op.use_empty())
      op.erase();
}

/// The kernel says what operations of its body did: that it is the loss, and of which terms.
static void liftLossMark(kern::RowwiseOp kernel) {
  for (Operation &op : kernel.getBody().front())
    for (StringRef name : {lossAttr, nllSquareAttr, zLossAttr})
      if (Attribute mark = op.removeAttr(name))
        kernel->setAttr(name, mark);
}

Type Outliner::typeOfResult(const RowSpace &space, Value inRow) const {
  auto row = cast<RankedTensorType>(inRow.getType());
  if (inRow.getDefiningOp<seq::ColumnSumOp>())
    return row;
  SmallVector<int64_t> shape{1, space.getRows()};
  if (!space.isParameter)
    shape.assign(space.leading.begin(), space.leading.end());
  llvm::append_range(shape, row.getShape());
  return RankedTensorType::get(shape, row.getElementType());
}

FailureOr<SmallVector<Value>> Outliner::addMembers(RowForm &form, const Members &members) const {
  SmallVector<Value> stored;
  auto isInside = [&](Operation *op) { return llvm::is_contained(members, op); };
  for (Operation *op : members) {
    if (failed(isJoinOfOwnSums(op, members) ? form.addJoinOfSums(op) : form.addMember(op)))
      return failure();
    if (Value result = op->getResult(0); roles.isReadElsewhere(result, isInside))
      stored.push_back(result);
  }
  return stored;
}

/// What a kernel reads, in the shapes in which it walks it.
static SmallVector<Value> operandsOf(const RowForm &form, const RowSpace &space, OpBuilder &builder, Location loc) {
  SmallVector<Value> operands;
  for (auto [value, map] : llvm::zip_equal(form.getInputs(), form.getMaps())) {
    Type view = map == kern::RowMap::row ? viewType(space, value.getType()) : Type();
    operands.push_back(view ? seq::ReshapeOp::create(builder, loc, view, value) : value);
  }
  return operands;
}

/// Whether a kernel has rows by what it reads, or by what it stores.
static bool tellsRows(const RowForm &form, ValueRange yielded) {
  return llvm::is_contained(form.getMaps(), kern::RowMap::row) || !llvm::all_of(yielded, kern::isColumnSum);
}

static void replace(ValueRange stored, kern::RowwiseOp kernel, OpBuilder &builder) {
  for (auto [value, result] : llvm::zip_first(stored, kernel.getResults())) {
    Value whole = result;
    if (result.getType() != value.getType())
      whole = seq::ReshapeOp::create(builder, kernel.getLoc(), value.getType(), result);
    value.replaceAllUsesWith(whole);
  }
}

LogicalResult Outliner::outline(int64_t number, const RowSpace &space, const Members &members) {
  MLIRContext *context = function.getContext();
  Region region;
  Block &body = region.emplaceBlock();
  RowForm form(context, space, roles, body);
  FailureOr<SmallVector<Value>> stored = addMembers(form, members);
  if (failed(stored))
    return failure();
  auto yielded = llvm::map_to_vector(*stored, [&](Value value) { return form.getResult(value); });
  if (!tellsRows(form, yielded)) // as the sums of what is computed from no row
    yielded.push_back(yielded.front().getDefiningOp<seq::ColumnSumOp>().getOperand());
  auto types = llvm::map_to_vector(yielded, [&](Value value) { return typeOfResult(space, value); });
  Location loc = FusedLoc::get(context, llvm::map_to_vector(members, [](Operation *op) { return op->getLoc(); }));
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&body);
  kern::YieldOp::create(builder, loc, yielded);
  eraseUnused(body);

  builder.setInsertionPointAfter(members.back());
  auto maps = llvm::map_to_vector(form.getMaps(),
                                  [&](kern::RowMap map) -> Attribute { return kern::RowMapAttr::get(context, map); });
  auto kernel = kern::RowwiseOp::create(
      builder, loc, types, operandsOf(form, space, builder, loc), builder.getArrayAttr(maps), /*partial_sums=*/false,
      builder.getStringAttr(kernelName(function, number)), kern::Schedule(), kern::ResourcesAttr());
  kernel.getBody().takeBody(region);
  liftLossMark(kernel);
  replace(*stored, kernel, builder);
  return success();
}

/// Members are in kernels now, and what was duplicated may have no reader left.
void Outliner::eraseCopied() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front()))) {
    bool isDuplicated = roles.getRole(&op) == RowRole::duplicated;
    if (op.hasAttr(kern::groupAttr) || (isDuplicated && op.use_empty()))
      op.erase();
  }
}

namespace {
struct OutlineGroupsPass : stretto::passes::impl::OutlineGroupsBase<OutlineGroupsPass> {
  using OutlineGroupsBase::OutlineGroupsBase;

  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    WalkResult result = getOperation().walk([&](func::FuncOp function) {
      bool isDone = function.isExternal() || succeeded(Outliner(function, rows).run());
      return isDone ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
