//===- FormGroups.cpp - decides which row operations share a kernel -----------===//
#include "passes/fusion/GroupRemarks.h"
#include "passes/fusion/Originals.h"
#include "passes/fusion/Passes.h"
#include "passes/support/Describe.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/Marks.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace stretto::passes {
#define GEN_PASS_DEF_FORMGROUPS
#include "passes/fusion/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Two members that share a value: `reader` reads what `producer` computes, or both read it.
struct Candidate {
  Operation *producer, *reader;
  int64_t saved; ///< bytes that need not move when they share a kernel
  bool isMinor;  ///< both read one number for each row, and no more
};

/// Which groups each operation of a block is computed from.
class Origins {
public:
  Origins(const GroupGraph &graph, func::FuncOp function) : places(graph.getMembers().size()) {
    unsigned count = 0;
    for (unsigned group = 0; group < places.size(); ++group)
      if (!graph.getMembersOf(group).empty())
        places[group] = count++;
    for (Operation &op : function.getBody().front()) {
      llvm::BitVector origins(count);
      for (Value operand : op.getOperands())
        if (Operation *def = operand.getDefiningOp())
          include(def, graph, origins);
      originsOf[&op] = std::move(origins);
    }
  }

  bool has(Operation *op, unsigned group) const { return originsOf.find(op)->second.test(places[group]); }

private:
  void include(Operation *def, const GroupGraph &graph, llvm::BitVector &origins) const {
    origins |= originsOf.find(def)->second;
    if (graph.isMember(def))
      origins.set(places[graph.getGroup(def)]);
  }

  SmallVector<unsigned> places; // of groups that have members, among these
  DenseMap<Operation *, llvm::BitVector> originsOf;
};

class Former {
public:
  Former(func::FuncOp function, const RowAnalysis &rows, const CostModel &costs)
      : function(function), roles(function, rows), graph(function, roles, rows), costs(costs),
        originals(findOriginals(function)) {
    findRepeated();
  }

  void mergeAll() {
    // What lies between two groups may join one of them, after which they may merge.
    std::vector<Candidate> candidates = findCandidates();
    bool changed = true;
    while (changed) {
      refused.clear();
      changed = false;
      for (const Candidate &candidate : candidates)
        changed |= consider(candidate);
    }
    for (Operation *op : graph.getMembers())
      joinSums(op);
  }

  void write() {
    Builder builder(function.getContext());
    DenseMap<unsigned, int64_t> numbers;
    for (Operation *op : graph.getMembers()) {
      int64_t number = numbers.try_emplace(graph.getGroup(op), numbers.size()).first->second;
      op->setAttr(kern::groupAttr, builder.getI64IntegerAttr(number));
    }
  }

  /// `explain`: also what is not fused.
  void remark(const LibraryCalls &calls, bool explain) const {
    remarkGroups(function, graph, costs, calls, explain ? collectNotFused() : SmallVector<NotFused>());
  }

private:
  std::vector<Candidate> findCandidates() const;
  /// Merges the groups of a candidate, if they may be.
  bool consider(const Candidate &candidate);
  void joinSums(Operation *op);
  /// Why the groups of two members may not merge; nothing when they may, with what they cost then. What lies between is
  /// not looked up.
  std::optional<NotFused> refuse(const Candidate &candidate, GroupCost &merged);
  std::optional<NotFused> refuseCost(const Candidate &candidate, GroupCost &merged);
  void findRepeated();
  bool wouldComeEarly(unsigned a, unsigned b) const;
  bool wouldHoldCopy(unsigned a, unsigned b) const;
  const GroupCost &costOfGroup(unsigned group);
  std::string describeBetween(unsigned a, unsigned b, Operation *reader) const {
    return describe(graph.findBetween(a, b), reader->getLoc()) + " lies between";
  }
  SmallVector<NotFused> collectNotFused() const;
  /// A member of `group` that is not computed from `other`. What is recomputed stands beside its reader on purpose.
  Operation *findIndependent(unsigned group, unsigned other, const Origins &origins) const;
  /// For each group an earlier one that it, or a part of it, might have been computed with although they share no
  /// value. Pairs in `seen` are not looked at.
  std::vector<std::optional<NotFused>> findBlockers(const llvm::DenseSet<std::pair<unsigned, unsigned>> &seen) const;
  /// Those that `other` is the blocker of, among groups that are `open`: any earlier one shares a value with them.
  /// Groups that are `explained` need one that shares none.
  void findBlocked(unsigned other, const llvm::DenseSet<std::pair<unsigned, unsigned>> &seen, const Origins &origins,
                   const llvm::BitVector &explained, llvm::BitVector &open,
                   std::vector<std::optional<NotFused>> &blockers) const;

  func::FuncOp function;
  RowRoles roles;
  GroupGraph graph;
  CostModel costs;
  const DenseMap<Operation *, Operation *> originals; // of what is recomputed
  Operation *firstRepeated = nullptr; // behind the forward, where the backward repeats operations of the library
  SmallVector<std::pair<Candidate, NotFused>> refused;
  DenseMap<unsigned, GroupCost> groupCosts; // of groups as they are
};
} // namespace

/// One number for each row, such as the place of a token in its document.
static bool isNumber(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 2; }

std::vector<Candidate> Former::findCandidates() const {
  std::vector<Candidate> candidates;
  llvm::MapVector<Value, std::pair<Operation *, int64_t>> lastReader; // of values that several members read
  for (Operation *reader : graph.getMembers())
    for (const RowFlow &flow : graph.getFlows(reader)) {
      Operation *producer = flow.value.getDefiningOp();
      if (producer && roles.getRole(producer) == RowRole::member)
        candidates.push_back({producer, reader, 2 * flow.bytes, false});
      if (flow.bytes == 0)
        continue;
      auto [it, inserted] = lastReader.try_emplace(flow.value, reader, flow.bytes);
      bool isMinor = isNumber(flow.value) && !roles.getSpace(reader).isParameter;
      if (!inserted)
        candidates.push_back({it->second.first, reader, std::min(it->second.second, flow.bytes), isMinor});
      it->second = {reader, flow.bytes};
    }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) { return a.saved > b.saved; });
  return candidates;
}

bool Former::consider(const Candidate &candidate) {
  unsigned a = graph.getGroup(candidate.producer), b = graph.getGroup(candidate.reader);
  if (a == b)
    return false;
  GroupCost merged;
  if (std::optional<NotFused> reason = refuse(candidate, merged)) {
    refused.emplace_back(candidate, *reason);
    return false;
  }
  graph.merge(a, b);
  groupCosts.erase(std::max(a, b));
  groupCosts[std::min(a, b)] = merged;
  return true;
}

/// Whether the source keeps two groups apart. All members of a group have the same mark.
static bool areApart(Operation *one, Operation *other) {
  Attribute mark = one->getAttr(kNoFuseAttr);
  return mark != other->getAttr(kNoFuseAttr) || isa_and_nonnull<UnitAttr>(mark);
}

/// Column sums of one kernel that are only joined to one vector are summed as one.
void Former::joinSums(Operation *op) {
  if (!roles.isJoinOfSums(op))
    return;
  unsigned group = graph.getGroup(op->getOperand(0).getDefiningOp());
  bool isOfOneKernel = llvm::all_of(
      op->getOperands(), [&](Value sum) { return graph.isIn(sum.getDefiningOp(), group) && sum.hasOneUse(); });
  if (isOfOneKernel && !areApart(graph.getMembersOf(group).front(), op))
    graph.mergeJoin(group, op);
}

std::optional<NotFused> Former::refuse(const Candidate &candidate, GroupCost &merged) {
  auto [producer, reader, saved, isMinor] = candidate;
  unsigned a = graph.getGroup(producer), b = graph.getGroup(reader);
  if (areApart(producer, reader))
    return NotFused{producer, reader, "the source asks for a kernel of its own", "removing no_fuse there"};
  if (isa<seq::ColumnSumOp>(producer) && roles.getSpace(reader).isParameter)
    return NotFused{producer, reader, "a sum over rows is complete only after the last row", ""};
  if (!(roles.getSpace(producer) == roles.getSpace(reader)))
    return NotFused{producer, reader, "they run over different rows", ""};
  if (graph.isAnyBetween(a, b))
    return NotFused{producer, reader, "", ""};
  if (firstRepeated && wouldComeEarly(a, b))
    return NotFused{producer, reader, "the source has one of them computed again in the backward", ""};
  if (wouldHoldCopy(a, b))
    return NotFused{producer, reader, "the backward computes one of them again, so that it is not held until then", ""};
  if (isMinor)
    return NotFused{producer, reader, llvm::formatv("they share one number for each row only, {0} bytes", saved), ""};
  return refuseCost(candidate, merged);
}

/// The backward of a body of a scan has no forward before it.
void Former::findRepeated() {
  if (function->hasAttr(kForwardAttr))
    return;
  auto repeats = [](Operation &op) { return op.hasAttr(kRepeatedAttr); };
  Block &block = function.getBody().front();
  if (llvm::any_of(block, repeats))
    firstRepeated = &*llvm::find_if(block, [&](Operation &op) { return repeats(op) || op.hasAttr(kRecomputedAttr); });
}

/// What the source has recomputed would be in memory from the forward on, if a kernel of the forward computed it.
bool Former::wouldComeEarly(unsigned a, unsigned b) const {
  auto isLate = [](Operation *op) { return op->hasAttr(kRecomputeAttr) && op->hasAttr(kRecomputedAttr); };
  auto isEarly = [&](Operation *op) { return op->isBeforeInBlock(firstRepeated); };
  auto has = [&](unsigned group, auto holds) { return llvm::any_of(graph.getMembersOf(group), holds); };
  return (has(a, isLate) && has(b, isEarly)) || (has(b, isLate) && has(a, isEarly));
}

/// Whether a kernel of the forward would leave for others what the backward recomputes so that it is not held until
/// then.
bool Former::wouldHoldCopy(unsigned a, unsigned b) const {
  auto isIn = [&](Operation *op) { return graph.isIn(op, a) || graph.isIn(op, b); };
  auto isHeld = [&](Operation *op) {
    Operation *original = originals.lookup(op);
    return original && isIn(original) && roles.isReadElsewhere(op->getResult(0), isIn);
  };
  return llvm::any_of(graph.getMembersOf(a), isHeld) || llvm::any_of(graph.getMembersOf(b), isHeld);
}

static std::string describeLoops(const GroupCost &cost) {
  return cost.loops > cost.operations
             ? llvm::formatv(", {0} loops as heads or halves of them end at unlike columns", cost.loops).str()
             : "";
}

static std::string describeFar(const GroupCost &cost) {
  return cost.farRows ? llvm::formatv(", and {0} far from it for each of its rows", cost.farRows).str() : "";
}

const GroupCost &Former::costOfGroup(unsigned group) {
  auto [it, inserted] = groupCosts.try_emplace(group);
  if (inserted)
    it->second = costOf(graph, graph.getMembersOf(group), costs);
  return it->second;
}

std::optional<NotFused> Former::refuseCost(const Candidate &candidate, GroupCost &merged) {
  unsigned left = graph.getGroup(candidate.producer), right = graph.getGroup(candidate.reader);
  SmallVector<Operation *> both(graph.getMembersOf(left));
  llvm::append_range(both, graph.getMembersOf(right));
  GroupCost a = costOfGroup(left), b = costOfGroup(right);
  merged = costOf(graph, both, costs);
  if (merged.getCode() > kMostCode)
    return NotFused{candidate.producer, candidate.reader,
                    llvm::formatv("together they would be {0} operations in {1} stages{2}, more code than compiles in "
                                  "reasonable time",
                                  merged.operations, merged.stages, describeLoops(merged)),
                    merged.loops > merged.operations ? "heads of the same size, or a matmul between them"
                                                     : "a matmul between them"};
  if (merged.sumsFar)
    return NotFused{candidate.producer, candidate.reader,
                    llvm::formatv("taps more than {0} rows away would need sums along rows there", costs.keptRows),
                    "shorter shifts"};
  if (merged.getTime(costs) <= a.getTime(costs) + b.getTime(costs))
    return std::nullopt;
  return NotFused{candidate.producer, candidate.reader,
                  llvm::formatv("together they would read {0} bytes again and compute {1} rows beside each block of "
                                "{2} twice{3}, which costs more than {4} bytes not moved",
                                merged.reread, merged.haloRows, costs.blockRows, describeFar(merged),
                                a.bytes + b.bytes - merged.bytes),
                  merged.reread && !merged.farRows ? "narrower rows" : "fewer taps in a row, or a matmul between them"};
}

/// One reason per pair of groups that were not fused although they share a value, and one for each group that might
/// have been computed in the kernel of another that it shares nothing with.
SmallVector<NotFused> Former::collectNotFused() const {
  SmallVector<NotFused> notFused;
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  for (const auto &[candidate, reason] : refused) {
    unsigned a = graph.getGroup(candidate.producer), b = graph.getGroup(candidate.reader);
    if (a == b || !seen.insert({std::min(a, b), std::max(a, b)}).second)
      continue;
    notFused.push_back(reason);
    if (reason.reason.empty())
      notFused.back().reason = describeBetween(a, b, reason.reader);
  }
  for (const std::optional<NotFused> &blocker : findBlockers(seen))
    if (blocker)
      notFused.push_back(*blocker);
  return notFused;
}

Operation *Former::findIndependent(unsigned group, unsigned other, const Origins &origins) const {
  for (Operation *member : graph.getMembersOf(group))
    if (!member->hasAttr(kRecomputedAttr) && !origins.has(member, other))
      return member;
  return nullptr;
}

std::vector<std::optional<NotFused>>
Former::findBlockers(const llvm::DenseSet<std::pair<unsigned, unsigned>> &seen) const {
  unsigned count = graph.getMembers().size();
  std::vector<std::optional<NotFused>> blockers(count);
  llvm::BitVector open(count), explained(count);
  for (auto [a, b] : seen)
    explained.set(a), explained.set(b);
  for (unsigned group = 0; group < count; ++group)
    open[group] = !graph.getMembersOf(group).empty();
  const Origins origins(graph, function);
  for (unsigned other = 0; other < count; ++other)
    if (!graph.getMembersOf(other).empty())
      findBlocked(other, seen, origins, explained, open, blockers);
  return blockers;
}

void Former::findBlocked(unsigned other, const llvm::DenseSet<std::pair<unsigned, unsigned>> &seen,
                         const Origins &origins, const llvm::BitVector &explained, llvm::BitVector &open,
                         std::vector<std::optional<NotFused>> &blockers) const {
  Operation *first = graph.getMembersOf(other).front();
  const llvm::BitVector related = graph.getRelated(other);
  for (int group = open.find_next(other); group >= 0; group = open.find_next(group)) {
    Operation *own = graph.getMembersOf(group).front();
    if (seen.contains({other, group}) || !(roles.getSpace(first) == roles.getSpace(own)))
      continue;
    if (!related.test(group)) {
      blockers[group] = NotFused{first, own, "they share no value", "", /*isUnrelated=*/true};
      open.reset(group);
    }
    if (explained.test(group) || blockers[group])
      continue;
    // Some of the group waits for the other one, and this member with it.
    if (Operation *member = findIndependent(group, other, origins))
      blockers[group] = NotFused{first, member, describeBetween(other, group, member), ""};
  }
}

namespace {
struct FormGroupsPass : stretto::passes::impl::FormGroupsBase<FormGroupsPass> {
  using FormGroupsBase::FormGroupsBase;

  LogicalResult initialize(MLIRContext *context) final {
    if (fuse == "all" || fuse == "none")
      return success();
    return emitError(UnknownLoc::get(context)) << "fuse must be 'all' or 'none', but got '" << fuse << "'";
  }

  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    std::optional<LibraryCalls> calls; // that remarks ask for
    if (getContext().getRemarkEngine())
      calls.emplace(getOperation());
    getOperation().walk([&](func::FuncOp function) {
      if (function.isExternal())
        return;
      Former former(function, rows, {operationsPerByte, blockRows, heldRows, heldBytes, keptRows});
      if (fuse == "all")
        former.mergeAll();
      former.write();
      if (calls)
        former.remark(*calls, /*explain=*/fuse == "all");
    });
    markAnalysesPreserved<RowAnalysis>();
  }
};
} // namespace
