#include "codegen/pytorch/WeightPaths.h"

using namespace mlir;
using namespace stretto;

seq::ParameterOp stretto::parameterOf(Value value) {
  auto get = value.getDefiningOp<seq::GetParameterOp>();
  if (!get)
    return nullptr;
  return SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr());
}

llvm::StringRef stretto::hintOf(Location location) {
  if (auto site = dyn_cast<CallSiteLoc>(location))
    return hintOf(site.getCallee());
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName();
  return "";
}

static FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCalleeAttr();
  if (auto scan = dyn_cast<seq::ScanOp>(op))
    return scan.getBodyAttr();
  return nullptr;
}

WeightPaths::WeightPaths(ModuleOp module) {
  llvm::MapVector<Operation *, SmallVector<Operation *>> sites;
  for (auto function : module.getOps<func::FuncOp>())
    sites.insert({function, {}});
  module.walk([&](Operation *op) {
    if (FlatSymbolRefAttr callee = calleeOf(op))
      if (Operation *function = module.lookupSymbol(callee))
        sites[function].push_back(op);
  });
  // Callers first: a group is found from the groups of the callers.
  llvm::DenseSet<Operation *> done;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[function, places] : sites) {
      auto callerDone = [&](Operation *place) { return done.contains(place->getParentOfType<func::FuncOp>()); };
      if (done.contains(function) || !llvm::all_of(places, callerDone))
        continue;
      addFunction(cast<func::FuncOp>(function), places);
      done.insert(function);
      changed = true;
    }
  }
}

void WeightPaths::addFunction(func::FuncOp function, ArrayRef<Operation *> sites) {
  if (sites.empty() || function.isExternal())
    return;
  SmallVector<std::string> chosen;
  for (BlockArgument argument : function.getArguments()) {
    llvm::StringRef name = hintOf(argument.getLoc());
    SmallVector<std::string> prefixes;
    for (Operation *site : sites)
      if (auto prefix = prefixAt(site, argument.getArgNumber(), name))
        prefixes.push_back(*prefix);
    if (prefixes.size() != sites.size() || (!chosen.empty() && prefixes != chosen))
      continue;
    chosen = prefixes;
    names[argument] = name.str();
  }
  if (chosen.empty())
    return;
  grouped.insert(function);
  for (auto [site, prefix] : llvm::zip_equal(sites, chosen))
    groups[site] = prefix;
}

/// What stands before `name` in the name of the weight that the site passes as argument `index`.
std::optional<std::string> WeightPaths::prefixAt(Operation *site, unsigned index, llvm::StringRef name) const {
  Value operand = site->getOperand(index);
  std::string whole = nameOf(operand);
  llvm::StringRef prefix = whole;
  if (name.empty() || !prefix.consume_back(name) || (!prefix.empty() && !prefix.consume_back(".")))
    return std::nullopt;
  auto scan = dyn_cast<seq::ScanOp>(site);
  seq::ParameterOp parameter = parameterOf(operand);
  size_t carries = scan ? scan.getCarry().size() : 0;
  bool isSlice = scan && index >= carries && index < carries + scan.getSlices().size();
  if (isSlice != prefix.contains("{}") || isSlice != (parameter && parameter.getStacked()))
    return std::nullopt;
  return prefix.str();
}

std::string WeightPaths::nameOf(Value value) const {
  if (seq::ParameterOp parameter = parameterOf(value))
    return cast<seq::PartAttr>(parameter.getParts()[0]).getName().str();
  auto known = names.find(value);
  return known == names.end() ? std::string() : known->second;
}

llvm::StringRef WeightPaths::groupOf(Operation *site) const {
  auto known = groups.find(site);
  return known == groups.end() ? llvm::StringRef() : llvm::StringRef(known->second);
}
