//===- WeightPaths.cpp - which arguments of block functions are weights ---===//
#include "codegen/pytorch/WeightPaths.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

seq::ParameterOp stretto::codegen::parameterOf(Value value) {
  auto get = value.getDefiningOp<seq::GetParameterOp>();
  if (!get)
    return nullptr;
  return SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr());
}

llvm::StringRef stretto::codegen::hintOf(Location location) {
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

bool WeightPaths::Source::operator==(const Source &other) const {
  auto layers = [](seq::ParameterOp parameter) {
    return parameter ? std::pair(parameter.getFirst(), parameter.getStep()) : std::pair<uint64_t, uint64_t>(0, 0);
  };
  return group == other.group && prefix == other.prefix && layers(one) == layers(other.one);
}

void WeightPaths::addFunction(func::FuncOp function, ArrayRef<Operation *> sites) {
  if (function.isExternal())
    return;
  SmallVector<Sources> found; // by group, then by site
  for (BlockArgument argument : function.getArguments()) {
    llvm::StringRef name = hintOf(argument.getLoc());
    Sources sources;
    for (Operation *site : sites)
      if (auto source = sourceAt(site, argument.getArgNumber(), name))
        sources.push_back(*source);
    if (sites.empty() || sources.size() != sites.size())
      continue;
    auto *group = llvm::find(found, sources);
    // A weight that is known above all groups, as tied ones are, is better passed by itself.
    bool isAbove = llvm::any_of(sources, [](const Source &source) { return source.prefix.empty(); });
    if (group == found.end() && !found.empty() && isAbove)
      continue;
    names[argument] = {unsigned(group - found.begin()), name.str()};
    if (group == found.end())
      found.push_back(sources);
  }
  counts[function] = found.size();
  for (auto [i, site] : llvm::enumerate(sites))
    for (const Sources &sources : found)
      groups[site].push_back(sources[i]);
}

/// The group that has the weight that the site passes as argument `index` by the name `name`.
std::optional<WeightPaths::Source> WeightPaths::sourceAt(Operation *site, unsigned index, llvm::StringRef name) const {
  Value operand = site->getOperand(index);
  std::optional<Name> whole = nameOf(operand);
  if (!whole || name.empty())
    return std::nullopt;
  llvm::StringRef prefix = whole->path;
  if (!prefix.consume_back(name) || (!prefix.empty() && !prefix.consume_back(".")))
    return std::nullopt;
  auto scan = dyn_cast<seq::ScanOp>(site);
  if (scan && scan.isCarry(index)) // each layer makes the next one's
    return std::nullopt;
  bool isSlice = scan && scan.isSlice(index);
  seq::ParameterOp parameter = parameterOf(operand);
  if (isSlice != prefix.contains("{}") || isSlice != (parameter && parameter.getStacked()))
    return std::nullopt;
  return Source{whole->group, prefix.str(), isSlice ? parameter : nullptr};
}

std::optional<WeightPaths::Name> WeightPaths::nameOf(Value value) const {
  if (seq::ParameterOp parameter = parameterOf(value))
    return Name{0, cast<seq::PartAttr>(parameter.getParts()[0]).getName().str()};
  auto known = names.find(value);
  return known == names.end() ? std::nullopt : std::optional(known->second);
}

ArrayRef<WeightPaths::Source> WeightPaths::groupsOf(Operation *site) const {
  auto known = groups.find(site);
  return known == groups.end() ? ArrayRef<Source>() : ArrayRef<Source>(known->second);
}
