//===- ChooseSaved.cpp - what the backward reads and what it recomputes ---------===//
//
// The graph: every value v that the forward could hand to the backward has two nodes. Cutting v_in -> v_out saves v;
// cutting source -> v_in recomputes it, which needs its operands (u_out -> v_in, never cut). Values that the
// backward reads hang on the sink. Results of the library are saved (source -> v_in is never cut), unless the spec asks
// for others: then the backward has the operation, and v_in -> v_out is never cut.
//
//===----------------------------------------------------------------------------===//
#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/MinimumCut.h"
#include "passes/autodiff/Numbering.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/ReadAgain.h"
#include "passes/support/OperationCost.h"
#include "passes/support/StoredBytes.h"

#include "ir/seq/ActivationType.h"
#include "ir/seq/Marks.h"
#include "ir/seq/SourceNames.h"

#include "mlir/IR/Remarks.h"

namespace stretto::passes {
#define GEN_PASS_DEF_CHOOSESAVED
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Whether an operation shows its operand as it is, in parts, or repeated.
bool isView(Operation *op) { return isa<seq::BroadcastOp>(op) || seq::isViewOfOperand(op); }

/// Whether an operation of the backward repeats one of the forward, of rows or of the library.
bool isOfForward(Operation *op) { return isCopy(op) || (op && op->hasAttr(kRepeatedAttr)); }

/// Whether a block that is recomputed hands a value to another one, or to anything else, that is recomputed, too.
bool goesToAnotherCall(Operation *copy) {
  LocationAttr own = outermostCall(copy->getLoc());
  return own && llvm::any_of(copy->getUsers(), [&](Operation *user) {
           bool isMarked = user->hasAttr(kRepeatedAttr) || (isCopy(user) && user->hasAttr(kRecomputeAttr));
           return isMarked && outermostCall(user->getLoc()) != own;
         });
}

/// Traffic is counted once per byte read or written, in these units; work is counted in them, too.
constexpr int64_t kUnitsPerByte = 64;

/// One function with copies of forward operations, and the decision for it.
class SavedChoice {
public:
  SavedChoice(func::FuncOp backward, func::FuncOp forward, double operationsPerByte)
      : backward(backward), operationsPerByte(operationsPerByte) {
    findMaterialised(forward.getBody().front());
    forward.walk([&](Operation *op) {
      if (auto id = op->getAttrOfType<IntegerAttr>(kIdAttr); id && !isCopy(op))
        originals[id.getInt()] = op;
    });
    for (Operation &op : backward.getBody().front())
      if (isOfForward(&op)) {
        firstCopy = firstCopy ? firstCopy : &op;
        copies.push_back(&op);
      }
    findReadAsTheyAre();
  }

  /// Whether anything in the function is backward.
  bool hasBackward() const { return backward->hasAttr(kForwardAttr) || !copies.empty(); }
  /// Decides with memory weighing `memoryWeight` units per byte; returns the bytes of all forward values that are
  /// saved.
  int64_t decide(int64_t memoryWeight);
  void writeAttributes();

private:
  struct Nodes {
    FlowGraph::Node in, out;
  };

  void findMaterialised(Block &forward);
  void findReadAsTheyAre();
  bool isFreeValue(Value value);
  bool isGiven(Value value);
  bool isMaterialised(Operation *copy);
  bool isReadByBackward(Value value);
  bool isAliasOfGiven(Operation *copy);
  bool isValueOfItsOwn(Operation *copy);
  bool isReadAsChoice(Value value);
  bool mustBeSaved(Operation *copy);
  int64_t saveTraffic(Operation *copy);
  int64_t workOf(Operation *copy);
  int64_t recomputeCost(Operation *copy);
  void addCopy(FlowGraph &graph, FlowGraph::Node source, FlowGraph::Node sink, Operation *copy, int64_t memoryWeight);
  Nodes addValue(FlowGraph &graph, FlowGraph::Node sink, Value value, int64_t saveCost);
  llvm::DenseSet<Operation *> findRecomputed();
  int64_t remarkRecomputed();

  func::FuncOp backward;
  double operationsPerByte;
  llvm::DenseMap<int64_t, Operation *> originals;
  llvm::DenseSet<Operation *> materialised;
  SmallVector<Operation *> copies;
  SmallVector<Value> readAsTheyAre; // by the backward, and not only by copies
  ReadAgain readAgain;
  Operation *firstCopy = nullptr;
  llvm::DenseMap<Value, bool> freeValues;
  llvm::MapVector<Value, Nodes> nodes;
  llvm::DenseSet<Value> saved;
};

/// The forward stores what the library reads, and what is read again behind a library operation. The phase of an
/// operation is the number of library operations on the longest path to it.
void SavedChoice::findMaterialised(Block &forward) {
  llvm::DenseMap<Operation *, int64_t> phases;
  for (Operation &op : forward) {
    bool isLibrary = !isRepeatable(&op) && !isFree(&op);
    int64_t &phase = phases[&op];
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        phase = std::max(phase, phases.lookup(producer));
    phase += isLibrary;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && phases.lookup(producer) < phase)
        for (; producer; producer = isView(producer) ? producer->getOperand(0).getDefiningOp() : nullptr)
          materialised.insert(producer);
  }
}

/// Constants, parameters, inputs, and whatever is computed from them alone.
bool SavedChoice::isFreeValue(Value value) {
  if (auto known = freeValues.find(value); known != freeValues.end())
    return known->second;
  bool result;
  if (auto argument = dyn_cast<BlockArgument>(value))
    result = !backward.getArgAttr(argument.getArgNumber(), kSavedAttr);
  else if (Operation *op = value.getDefiningOp(); isCopy(op))
    result = llvm::all_of(op->getOperands(), [&](Value v) { return isFreeValue(v); });
  else
    result = isFree(op);
  return freeValues[value] = result;
}

/// A value that the forward has in memory whether or not it is saved.
bool SavedChoice::isGiven(Value value) {
  if (isa<BlockArgument>(value))
    return !isFreeValue(value);
  Operation *op = value.getDefiningOp();
  return firstCopy && !isOfForward(op) && !isFree(op) && op->isBeforeInBlock(firstCopy);
}

/// What scans of the backward read, their bodies count.
void SavedChoice::findReadAsTheyAre() {
  auto isReader = [&](Operation *user) {
    return !isOfForward(user) && !isa<seq::ScanOp, func::ReturnOp>(user) &&
           !(firstCopy && user->isBeforeInBlock(firstCopy));
  };
  auto add = [&](Value value) {
    if (isGiven(value) && llvm::any_of(value.getUsers(), isReader))
      readAsTheyAre.push_back(value);
  };
  Block &block = backward.getBody().front();
  llvm::for_each(block.getArguments(), add);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), add);
}

/// Whether a value is the states that the gradient of a mixer starts from.
static bool isStates(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto grad = dyn_cast<seq::MixerGradOp>(use.getOwner());
    return grad && use.getOperandNumber() == grad.getStatesMutable().getOperandNumber();
  });
}

/// Bytes of a value that is there in any case: of an argument as the forward stores it.
static int64_t givenBytes(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (auto saved = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kSavedAttr))
      return saved.getInt();
  }
  return storedBytes(value);
}

bool SavedChoice::isReadByBackward(Value value) {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !isOfForward(user) && (!user->isBeforeInBlock(firstCopy)); });
}

static bool isReadByRows(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isView(user) ? isReadByRows(user->getResult(0)) : !isLibrary(user);
  });
}

bool SavedChoice::isMaterialised(Operation *copy) {
  Operation *original = originals.lookup(copy->getAttrOfType<IntegerAttr>(kIdAttr).getInt());
  return original && materialised.contains(original);
}

/// A view of what lies in memory.
bool SavedChoice::isAliasOfGiven(Operation *copy) {
  Value shown = copy->getResult(0);
  for (Operation *op = copy; isCopy(op) && isView(op); op = shown.getDefiningOp())
    shown = op->getOperand(0);
  return isGiven(shown);
}

/// Views are part of what they show. But where the library reads columns of what is computed, or repeated values, a
/// kernel writes these and nothing else.
bool SavedChoice::isValueOfItsOwn(Operation *copy) {
  return !isView(copy) ||
         (isa<seq::SliceOp, seq::BroadcastOp>(copy) && isReadByLibrary(copy->getResult(0)) && !isAliasOfGiven(copy));
}

/// What the library reads of a value is the same whether it is saved or not.
int64_t SavedChoice::saveTraffic(Operation *copy) {
  return storedBytes(copy->getResult(0)) * (!isMaterialised(copy) + isReadByRows(copy->getResult(0)));
}

static bool areRowsRounded(Operation *op) { return bool(roundedActivationType(op->getParentOfType<ModuleOp>())); }

/// What keeps exponentials at most 1 must come from the same numbers as these do, which the backward computes of rows
/// that were rounded since.
static bool mustBeRecomputed(Operation *copy) { return copy->hasAttr(kHeldConstantAttr) && areRowsRounded(copy); }

/// Whether the library reads a value, itself or in another shape, to choose what it computes.
bool SavedChoice::isReadAsChoice(Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto library = dyn_cast<seq::LibraryOp>(user))
      return library.getOperandFacts(use.getOperandNumber()).chooses;
    return isView(user) && !isValueOfItsOwn(user) && isReadAsChoice(user->getResult(0));
  });
}

/// What was chosen of a row must not come from one that was rounded since, whatever the spec says.
bool SavedChoice::mustBeSaved(Operation *copy) {
  bool chooses = copy->hasAttr(kChoiceAttr) || (isValueOfItsOwn(copy) && isReadAsChoice(copy->getResult(0)));
  return chooses && areRowsRounded(copy) && isCopy(copy);
}

/// Conditions are not stored.
static bool isCondition(Operation *copy) { return typeOf(copy->getResult(0)).getElementType().isInteger(1); }

int64_t SavedChoice::workOf(Operation *copy) {
  auto library = dyn_cast<seq::LibraryOp>(copy);
  double operations = library ? library.getFlops() : isView(copy) ? 0 : costOfOperation(copy);
  return std::llround(operations / operationsPerByte * kUnitsPerByte);
}

int64_t SavedChoice::recomputeCost(Operation *copy) {
  int64_t bytes = storedBytes(copy->getResult(0)), traffic = 0;
  if (isa<seq::LibraryOp>(copy)) // reads and writes memory itself
    for (Value value : llvm::concat<Value>(llvm::to_vector(copy->getOperands()), llvm::to_vector(copy->getResults())))
      traffic += storedBytes(value);
  else if (isValueOfItsOwn(copy) && isReadByLibrary(copy->getResult(0)))
    traffic += readAgain.contains(copy->getResult(0)) ? 2 * bytes : bytes;
  if (isa<seq::ReduceOp>(copy))
    traffic += storedBytes(copy->getOperand(0));
  return traffic * kUnitsPerByte + workOf(copy);
}

SavedChoice::Nodes SavedChoice::addValue(FlowGraph &graph, FlowGraph::Node sink, Value value, int64_t saveCost) {
  Nodes pair{graph.addNode(), graph.addNode()};
  graph.addEdge(pair.in, pair.out, saveCost);
  graph.addEdge(pair.out, pair.in, FlowGraph::kInfinite);
  if (isReadByBackward(value))
    graph.addEdge(pair.out, sink, FlowGraph::kInfinite);
  nodes.insert({value, pair});
  return pair;
}

void SavedChoice::addCopy(FlowGraph &graph, FlowGraph::Node source, FlowGraph::Node sink, Operation *copy,
                          int64_t memoryWeight) {
  Value value = copy->getResult(0);
  if (isFreeValue(value))
    return;
  for (Value operand : copy->getOperands())
    if (isGiven(operand) && !nodes.contains(operand)) {
      Nodes pair = addValue(graph, sink, operand, storedBytes(operand) * (memoryWeight + kUnitsPerByte));
      graph.addEdge(source, pair.in, FlowGraph::kInfinite);
    }
  bool isMarked = copy->hasAttr(kRecomputeAttr) && !mustBeSaved(copy) && !goesToAnotherCall(copy);
  bool maySave = isCopy(copy) && isValueOfItsOwn(copy) && !isCondition(copy) && !isMarked && !mustBeRecomputed(copy);
  Nodes pair =
      addValue(graph, sink, value,
               maySave ? storedBytes(value) * memoryWeight + saveTraffic(copy) * kUnitsPerByte : FlowGraph::kInfinite);
  for (Value other : llvm::drop_begin(copy->getResults())) {
    nodes.insert({other, pair});
    if (isReadByBackward(other))
      graph.addEdge(pair.out, sink, FlowGraph::kInfinite);
  }
  graph.addEdge(source, pair.in, mustBeSaved(copy) ? FlowGraph::kInfinite : recomputeCost(copy));
  for (Value operand : copy->getOperands())
    if (auto found = nodes.find(operand); found != nodes.end())
      graph.addEdge(found->second.out, pair.in, FlowGraph::kInfinite);
}

int64_t SavedChoice::decide(int64_t memoryWeight) {
  nodes.clear();
  saved.clear();
  FlowGraph graph;
  FlowGraph::Node source = graph.addNode(), sink = graph.addNode();
  for (Operation *copy : copies)
    addCopy(graph, source, sink, copy, memoryWeight);
  graph.cut(source, sink);
  int64_t bytes = 0;
  for (auto &[value, pair] : nodes)
    if (graph.isOnSourceSide(pair.in) && !graph.isOnSourceSide(pair.out)) {
      saved.insert(value);
      bytes += storedBytes(value);
    }
  for (Value value : readAsTheyAre)
    bytes += nodes.contains(value) ? 0 : givenBytes(value);
  return bytes;
}

/// The copies that stay: the backward reads them, or they lead to such without a saved value between.
llvm::DenseSet<Operation *> SavedChoice::findRecomputed() {
  llvm::DenseSet<Operation *> recomputed;
  for (Operation *copy : llvm::reverse(copies)) {
    bool isRead = llvm::any_of(copy->getResults(), [&](Value value) { return isReadByBackward(value); }) ||
                  llvm::any_of(copy->getUsers(), [&](Operation *user) { return recomputed.contains(user); });
    if (isRead && !saved.contains(copy->getResult(0)))
      recomputed.insert(copy);
  }
  return recomputed;
}

/// Tells each value that is computed again; returns the bytes of all.
int64_t SavedChoice::remarkRecomputed() {
  int64_t all = 0;
  llvm::DenseSet<Operation *> recomputed = findRecomputed();
  for (Operation *copy : copies) {
    if (!recomputed.contains(copy) || !isValueOfItsOwn(copy) || isFreeValue(copy->getResult(0)))
      continue;
    int64_t bytes = 0;
    for (Value result : copy->getResults())
      bytes += storedBytes(result);
    remark::analysis(copy->getLoc(),
                     remark::RemarkOpts::name("Recomputed").category("memory").function(backward.getName()))
        << "recomputed in the backward" << remark::metric("Bytes", bytes);
    all += bytes;
  }
  return all;
}

void SavedChoice::writeAttributes() {
  Builder b(backward.getContext());
  int64_t savedBytes = 0, recomputedBytes = remarkRecomputed();
  auto options = remark::RemarkOpts::name("ChooseSaved").category("memory").function(backward.getName());
  auto remarkSaved = [&](Location loc, int64_t bytes) {
    remark::passed(loc, options) << "saved for the backward" << remark::metric("Bytes", bytes);
    savedBytes += bytes;
  };
  for (Operation *copy : copies) {
    Value value = copy->getResult(0);
    if (!saved.contains(value) || !isValueOfItsOwn(copy) || isFreeValue(value))
      continue;
    copy->removeAttr(kRecomputedAttr);
    copy->setAttr(kSavedAttr, b.getI64IntegerAttr(storedBytes(value)));
    remarkSaved(copy->getLoc(), storedBytes(value));
  }
  for (auto &[value, pair] : nodes)
    if (saved.contains(value) && !isCopy(value.getDefiningOp()) && isGiven(value))
      remarkSaved(value.getLoc(), storedBytes(value));
  for (Value value : readAsTheyAre)
    if (isStates(value)) // seq-choose-segments says how many
      savedBytes += givenBytes(value);
    else if (!nodes.contains(value))
      remarkSaved(value.getLoc(), givenBytes(value));
  backward->setAttr(kSavedBytesAttr, b.getI64IntegerAttr(savedBytes));
  remark::analysis(backward.getLoc(),
                   remark::RemarkOpts::name("SavedBytes").category("memory").function(backward.getName()))
      << "forward values for the backward" << remark::metric("BytesSaved", savedBytes)
      << remark::metric("BytesRecomputed", recomputedBytes);
}

struct ChooseSavedPass : stretto::passes::impl::ChooseSavedBase<ChooseSavedPass> {
  using ChooseSavedBase::ChooseSavedBase;

  void runOnOperation() final {
    struct Entry {
      SavedChoice choice;
      int64_t trips;
    };
    SmallVector<Entry, 0> entries;
    SymbolTable symbols(getOperation());
    llvm::StringMap<int64_t> trips;
    getOperation().walk([&](seq::ScanOp scan) { trips[scan.getBody()] = scan.getTrips(); });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      func::FuncOp forward = requireForward(function, symbols);
      if (!forward || failed(requireNumberedCopies(function)))
        return signalPassFailure();
      SavedChoice choice(function, forward, operationsPerByte);
      if (choice.hasBackward())
        entries.push_back({choice, forward == function ? 1 : trips.lookup(function.getName())});
    }
    decideWithinBudget([&](int64_t weight) {
      int64_t total = 0;
      for (Entry &entry : entries)
        total += entry.trips * entry.choice.decide(weight);
      return total;
    });
    for (Entry &entry : entries)
      entry.choice.writeAttributes();
  }

  /// Memory weighs what the target says; with a budget, as little as lets the saved values fit.
  void decideWithinBudget(llvm::function_ref<int64_t(int64_t weight)> decide) {
    if (memoryBudget <= 0) {
      decide(std::llround(savedByteWeight * kUnitsPerByte));
      return;
    }
    int64_t total = decide(1); // so that nothing is saved for nothing
    for (int64_t weight = kUnitsPerByte / 4; total > memoryBudget && weight <= 4096 * kUnitsPerByte; weight *= 2)
      total = decide(weight);
    if (total > memoryBudget)
      emitWarning(getOperation().getLoc())
          << "the memory budget of " << int64_t(memoryBudget) << " bytes for saved values cannot be met: the least is "
          << total << " bytes, unless 'recompute' of the spec has matmuls repeated, too";
  }
};
} // namespace
