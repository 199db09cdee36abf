//===- MergeMatmuls.cpp - matmuls of one input become one ---------------===//
#include "passes/simplify/Passes.h"
#include "passes/support/Scans.h"

#include "ir/seq/Marks.h"
#include "ir/seq/TensorShape.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/BitVector.h"

namespace stretto::passes {
#define GEN_PASS_DEF_MERGEMATMULS
#include "passes/simplify/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// A matmul and the parameter that its weight is.
struct Matmul {
  seq::LinearOp linear;
  seq::ParameterOp parameter;
  seq::GetParameterOp get;
  seq::ScanOp scan; ///< whose body the matmul is in and which hands over the weight; null elsewhere

  /// Number of the weight among the arguments of the body and the operands of the scan.
  unsigned getArgument() { return cast<BlockArgument>(linear.getWeight()).getArgNumber(); }
  bool isSlice() { return scan && scan.isSlice(getArgument()); }
};

/// Whether a matmul makes the logits, which may be made a few rows at a time.
bool isHead(seq::LinearOp linear) {
  return llvm::any_of(linear->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<func::ReturnOp>(user) && use.getOperandNumber() == 0 &&
           cast<func::FuncOp>(user->getParentOp()).getName() == "main";
  });
}

/// The matmuls of one module whose weights are parameters.
class Matmuls {
public:
  explicit Matmuls(ModuleOp module) : symbols(module) {
    module.walk([&](Operation *op) {
      if (auto scan = dyn_cast<seq::ScanOp>(op))
        callers[scan.getBody()].push_back(scan);
      if (auto get = dyn_cast<seq::GetParameterOp>(op))
        ++reads[get.getParameter()];
    });
  }

  /// The matmul of a `seq.linear`, or why its weight cannot be merged with others.
  std::optional<Matmul> find(seq::LinearOp linear, StringRef &reason) {
    if (isMarkedNoFuse(linear)) {
      reason = "the source asks for a matmul of its own";
      return std::nullopt;
    }
    if (linear.getResidual()) {
      reason = "it is added to another value";
      return std::nullopt;
    }
    if (isHead(linear)) {
      reason = "it makes the logits";
      return std::nullopt;
    }
    Value weight = linear.getWeight();
    seq::ScanOp scan;
    Value source = weight;
    if (auto argument = dyn_cast<BlockArgument>(weight);
        argument && !isCarried(weight) && (scan = findCaller(argument)))
      source = scan->getOperand(argument.getArgNumber());
    auto get = source.getDefiningOp<seq::GetParameterOp>();
    if (!get) {
      reason = isCarried(source) ? "a loop carries its weight" : "its weight is computed";
      return std::nullopt;
    }
    if (!weight.hasOneUse() || !get->hasOneUse() || reads[get.getParameter()] > 1) {
      reason = "something else reads its weight";
      return std::nullopt;
    }
    return Matmul{linear, symbols.lookup<seq::ParameterOp>(get.getParameter()), get, scan};
  }

  SymbolTable &getSymbols() { return symbols; }

private:
  /// The only caller of a scan body; null where there is none.
  seq::ScanOp findCaller(BlockArgument argument) const {
    auto it = callers.find(cast<func::FuncOp>(argument.getOwner()->getParentOp()).getName());
    return it != callers.end() && it->second.size() == 1 ? it->second.front() : seq::ScanOp();
  }

  bool isCarried(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    seq::ScanOp scan = argument ? findCaller(argument) : seq::ScanOp();
    return scan && scan.isCarry(argument.getArgNumber());
  }

  SymbolTable symbols;
  llvm::StringMap<SmallVector<seq::ScanOp>> callers;
  llvm::StringMap<unsigned> reads;
};

/// Whether two matmuls can be one: their parameters are stored alike, and so are their results.
bool areAlike(Matmul &a, Matmul &b) {
  seq::ParameterOp p = a.parameter, q = b.parameter;
  return a.scan == b.scan && p.getStacked() == q.getStacked() && p.getFirst() == q.getFirst() &&
         p.getStep() == q.getStep() && p.getFrozen() == q.getFrozen() && a.isSlice() == b.isSlice() &&
         a.linear->hasAttr(kRecomputeAttr) == b.linear->hasAttr(kRecomputeAttr);
}

class Merger {
public:
  Merger(Matmuls &matmuls, MutableArrayRef<Matmul> parts) : matmuls(matmuls), parts(parts) {}

  void run() {
    seq::ParameterOp parameter = mergeParameters();
    seq::GetParameterOp get = mergeReads(parameter);
    Value weight = get;
    if (parts.front().scan)
      weight = mergeArguments(get);
    mergeLinears(weight);
    for (Matmul &part : parts) {
      part.get.erase();
      matmuls.getSymbols().erase(part.parameter);
    }
  }

private:
  int64_t countRows() const {
    int64_t rows = 0;
    for (Matmul &part : parts)
      rows += typeOf(part.linear.getResult()).getShape().back();
    return rows;
  }

  Location getLoc(function_ref<Operation *(Matmul &)> of) const {
    SmallVector<Location> places;
    for (Matmul &part : parts)
      places.push_back(of(part)->getLoc());
    return FusedLoc::get(parts.front().get.getContext(), places);
  }

  seq::ParameterOp mergeParameters() {
    seq::ParameterOp first = parts.front().parameter;
    SmallVector<Attribute> names;
    for (Matmul &part : parts)
      llvm::append_range(names, part.parameter.getParts());
    SmallVector<int64_t> shape(first.getTensorType().getShape());
    shape[first.getStacked() ? 1 : 0] = countRows();
    auto merged = cast<seq::ParameterOp>(first->clone());
    merged.setPartsAttr(ArrayAttr::get(first.getContext(), names));
    merged.setType(first.getTensorType().clone(shape));
    merged.setSymName((first.getSymName() + ".merged").str());
    merged->setLoc(getLoc([](Matmul &part) { return part.parameter.getOperation(); }));
    matmuls.getSymbols().insert(merged, Block::iterator(first));
    return merged;
  }

  seq::GetParameterOp mergeReads(seq::ParameterOp parameter) {
    OpBuilder builder(parts.front().get);
    Location loc = getLoc([](Matmul &part) { return part.get.getOperation(); });
    return seq::GetParameterOp::create(builder, loc, parameter.getTensorType(), parameter.getSymName());
  }

  /// Gives the scan one slice (or invariant) instead of several, and its body one argument.
  Value mergeArguments(Value whole) {
    Matmul &first = parts.front();
    auto body = matmuls.getSymbols().lookup<func::FuncOp>(first.scan.getBody());
    llvm::BitVector dropped(body.getNumArguments());
    for (Matmul &part : parts.drop_front())
      dropped.set(part.getArgument());
    BlockArgument weight = body.getArgument(first.getArgument());
    auto type = typeOf(whole);
    if (first.isSlice())
      type = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    weight.setType(type);
    first.scan->setOperand(first.getArgument(), whole);
    for (Matmul &part : parts.drop_front())
      part.linear->setOperand(1, weight);
    dropArguments(first.scan, body, dropped);
    return weight;
  }

  static void dropArguments(seq::ScanOp scan, func::FuncOp body, const llvm::BitVector &dropped) {
    for (int i = dropped.find_last(); i >= 0; i = dropped.find_prev(i))
      scan.eraseRead(i);
    (void)body.eraseArguments(dropped);
    updateType(body); // the weight that is left has more rows
  }

  void mergeLinears(Value weight) {
    seq::LinearOp first = parts.front().linear;
    OpBuilder builder(first);
    SmallVector<int64_t> shape(typeOf(first.getResult()).getShape());
    shape.back() = countRows();
    Location loc = getLoc([](Matmul &part) { return part.linear.getOperation(); });
    auto type = typeOf(first.getResult()).clone(shape);
    auto merged = seq::LinearOp::create(builder, loc, type, first.getOperand(), weight);
    if (first->hasAttr(kRecomputeAttr))
      merged->setAttr(kRecomputeAttr, builder.getUnitAttr());
    int64_t offset = 0;
    for (Matmul &part : parts) {
      auto slice = seq::SliceOp::create(builder, part.linear.getLoc(), part.linear.getType(), merged, offset);
      offset += slice.getType().getShape().back();
      part.linear.replaceAllUsesWith(slice.getResult());
    }
    for (Matmul &part : parts)
      part.linear.erase();
    auto options = remark::RemarkOpts::name("MergedMatmuls")
                       .category("matmuls")
                       .function(merged->getParentOfType<func::FuncOp>().getName());
    remark::passed(loc, options) << (std::to_string(parts.size()) + " matmuls of one input are one matmul")
                                 << remark::metric("Columns", shape.back());
  }

  Matmuls &matmuls;
  MutableArrayRef<Matmul> parts;
};

struct MergeMatmulsPass : stretto::passes::impl::MergeMatmulsBase<MergeMatmulsPass> {
  void runOnOperation() final {
    Matmuls matmuls(getOperation());
    getOperation().walk([&](func::FuncOp function) {
      llvm::MapVector<Value, SmallVector<seq::LinearOp>> byInput;
      function.walk([&](seq::LinearOp linear) { byInput[linear.getOperand()].push_back(linear); });
      for (auto &[input, linears] : byInput)
        if (linears.size() > 1)
          mergeAlike(matmuls, linears);
    });
  }

  void mergeAlike(Matmuls &matmuls, ArrayRef<seq::LinearOp> linears) {
    SmallVector<SmallVector<Matmul>> sets;
    for (seq::LinearOp linear : linears) {
      StringRef reason;
      std::optional<Matmul> matmul = matmuls.find(linear, reason);
      if (!matmul) {
        remarkMissed(linear, reason);
        continue;
      }
      auto *set = llvm::find_if(sets, [&](auto &set) { return areAlike(set.front(), *matmul); });
      if (set == sets.end())
        sets.push_back({*matmul});
      else
        set->push_back(*matmul);
    }
    for (SmallVector<Matmul> &set : sets) {
      if (set.size() > 1)
        Merger(matmuls, set).run();
      else if (sets.size() > 1)
        remarkMissed(set.front().linear,
                     "its weight is frozen or stacked, or its result recomputed, unlike the others");
    }
  }

  void remarkMissed(seq::LinearOp linear, StringRef reason) {
    auto options = remark::RemarkOpts::name("MergedMatmuls")
                       .category("matmuls")
                       .function(linear->getParentOfType<func::FuncOp>().getName());
    remark::missed(linear.getLoc(), options)
        << "a matmul of its own beside others of the same input" << remark::reason("{0}", reason.str());
  }
};
} // namespace
