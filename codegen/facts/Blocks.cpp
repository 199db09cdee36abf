//===- Blocks.cpp - which block of the spec an operation belongs to -------===//
#include "codegen/facts/Blocks.h"

#include "codegen/facts/Locations.h"

#include "ir/kern/KernOps.h"
#include "ir/seq/SourceNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The calls in the spec that an operation was inlined from: the outermost, this and the next, and so on to all of
/// them.
static SmallVector<std::string> callsOf(Location loc) {
  SmallVector<std::string> calls;
  auto add = [&](auto &&self, Location of) -> void {
    of->walk([&](Location inner) {
      if (auto site = dyn_cast<CallSiteLoc>(inner)) {
        self(self, site.getCaller());
        calls.push_back((calls.empty() ? "" : calls.back() + " < ") + sourceLocations(site.getCaller()));
        self(self, site.getCallee());
        return WalkResult::interrupt();
      }
      return isa<FileLineColLoc>(inner) ? WalkResult::interrupt() : WalkResult::advance();
    });
  };
  add(add, loc);
  return calls;
}

std::string BlockNames::ofParameter(StringRef name) {
  auto [outer, last] = name.rsplit('.');
  bool isOfOperation = last == "weight" || last == "bias";
  return (isOfOperation && outer.contains('.') ? outer.rsplit('.').first : outer).str();
}

/// The innermost location with the outermost call around it.
static std::string slotOf(Location loc) {
  const SmallVector<std::string> calls = callsOf(loc);
  return sourceLocations(loc) + " < " + (calls.empty() ? "" : calls.front());
}

static void addTo(SmallVectorImpl<std::string> &blocks, StringRef block) {
  if (!llvm::is_contained(blocks, block))
    blocks.push_back(block.str());
}

/// The parts of a parameter: weights whose matmuls are one, or a single one.
static auto partsOf(Operation *user, StringAttr name) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(user, name);
  return parameter.getParts().getAsRange<seq::PartAttr>();
}

static std::string blockOf(Operation *user, StringAttr name) {
  return BlockNames::ofParameter((*partsOf(user, name).begin()).getName().getValue());
}

SmallVector<std::string> BlockNames::ofWeights(Operation *op) const {
  SmallVector<std::string> blocks;
  for (Value operand : op->getOperands())
    for (StringAttr name : trace.ofWeight(operand))
      addTo(blocks, blockOf(op, name));
  return blocks;
}

SmallVector<std::string> BlockNames::ofGradients(Operation *op) const {
  SmallVector<std::string> blocks;
  for (Value result : op->getResults())
    for (StringAttr name : trace.ofGradient(result))
      addTo(blocks, blockOf(op, name));
  return blocks;
}

/// What works with parameters itself; scans hand them over only.
static bool usesParameters(Operation &op) { return !isa<seq::ScanOp, seq::GradientOp>(op); }

/// Whether an operation mixes rows, as attention and mixers do: a weight is given to it besides.
static bool mixesRows(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  return library && library.mixesRows();
}

namespace {
/// What tells by its weights which block there is at its place, the surest first.
enum class Witness {
  weight, ///< an operation on weights
  rows,   ///< mixes rows: its weights may be of another block
  kernel, ///< may hold operations of two blocks
};
} // namespace

static Witness witnessOf(Operation &op) {
  if (mixesRows(&op))
    return Witness::rows;
  return isa<kern::RowwiseOp>(op) ? Witness::kernel : Witness::weight;
}

BlockNames::BlockNames(const Timeline &timeline) : trace(timeline) {
  for (Witness witness : {Witness::weight, Witness::rows, Witness::kernel}) {
    Places places, calls;
    for (func::FuncOp function : timeline.functions())
      for (Operation &op : function.getBody().front())
        if (usesParameters(op) && witnessOf(op) == witness)
          for (const std::string &block : ofWeights(&op)) {
            addTo(places[slotOf(op.getLoc())], block);
            for (const std::string &call : callsOf(op.getLoc()))
              addTo(calls[call], block);
          }
    for (auto &[place, blocks] : places)
      byPlace.try_emplace(place, blocks);
    for (auto &[call, blocks] : calls)
      byCall.try_emplace(call, blocks);
  }
}

const std::string *BlockNames::ownAmong(ArrayRef<std::string> candidates, Operation *op) const {
  for (const SmallVector<std::string> &blocks : {ofWeights(op), ofGradients(op)})
    if (const auto *own = llvm::find_if(candidates, [&](auto &block) { return llvm::is_contained(blocks, block); });
        own != candidates.end())
      return own;
  return nullptr;
}

std::string BlockNames::nearest(Operation *op, ArrayRef<std::string> candidates) const {
  if (candidates.size() == 1)
    return candidates.front();
  llvm::SmallSetVector<Operation *, 16> met;
  met.insert(op);
  for (size_t i = 0; i < met.size(); ++i) {
    bool tells = met[i] == op || isa<seq::LibraryOp>(met[i]); // a kernel on the way may hold operations of two blocks
    if (const std::string *own = tells && !mixesRows(met[i]) ? ownAmong(candidates, met[i]) : nullptr)
      return *own;
    for (Value operand : met[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && usesParameters(*producer))
        met.insert(producer);
  }
  const std::string *own = ownAmong(candidates, op); // where nothing else tells
  return own ? *own : candidates.front();
}

std::string BlockNames::of(Operation *op) const {
  const SmallVector<std::string> calls = callsOf(op->getLoc());
  if (calls.empty() || !mixesRows(op))
    if (auto it = byPlace.find(slotOf(op->getLoc())); it != byPlace.end())
      return nearest(op, it->second);
  for (const std::string &call : llvm::reverse(calls))
    if (auto it = byCall.find(call); it != byCall.end())
      return nearest(op, it->second);
  return "model";
}

SmallVector<std::pair<std::string, double>> BlockNames::sharesOf(Operation *op) const {
  ParameterSet parameters;
  if (isa<seq::LibraryOp>(op)) {
    for (Value operand : op->getOperands())
      parameters.insert_range(trace.ofWeight(operand));
    for (Value result : op->getResults())
      parameters.insert_range(trace.ofGradient(result));
  }
  if (parameters.size() != 1)
    return {{of(op), 1}};
  SmallVector<std::pair<std::string, double>> shares; // rows of weights at first
  double rows = 0;
  for (seq::PartAttr part : partsOf(op, parameters.front())) {
    std::string block = ofParameter(part.getName().getValue());
    auto *known = llvm::find_if(shares, [&](auto &share) { return share.first == block; });
    (known == shares.end() ? shares.emplace_back(block, 0) : *known).second += part.getRows();
    rows += part.getRows();
  }
  if (shares.size() == 1)
    return {{of(op), 1}};
  for (auto &[block, share] : shares)
    share /= rows;
  return shares;
}
