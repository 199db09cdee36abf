//===- ExpandMixers.cpp - linear mixers as tile programs ------------------===//
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/narrow/NarrowMixer.h"
#include "codegen/cuda/walk/HeldTiles.h"
#include "codegen/cuda/walk/WalkKernel.h"
#include "codegen/cuda/walk/WalkTime.h"
#include "codegen/mixers/MixerWalks.h"
#include "codegen/mixers/OrderTiles.h"

#include "codegen/rows/PassOptions.h"
#include "ir/seq/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_EXPANDMIXERS
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t mostNumbers = 128 * 64; // of the state that a program carries
constexpr int64_t mostRegisters = 96;     // of a thread that hold tiles; the others hold factors, sums and addresses
constexpr int64_t mostByChannel = 80;     // the same with a decay for each channel, whose factors take some, too
constexpr int64_t mostWithState = 72;     // the same where what is carried is among these tiles, beside all others
constexpr int64_t mostBlocks = 32;        // programs of a head
constexpr int64_t leastSpan = 4;          // chunks
constexpr double mostTime = 0.85;         // of one span's, that spans may take by an estimate as rough as ours

/// The ways to cut a mixer, the first that fits is taken: few programs of a head, then long chunks.
template <typename Op> SmallVector<MixerCut> cutsOf(Op op) {
  SmallVector<MixerCut> cuts;
  for (int64_t blocks = 1; blocks <= mostBlocks; ++blocks)
    for (int64_t chunk : {64, 32}) {
      MixerShape shape(op, {chunk, blocks});
      bool isNarrow = shape.tileValues() == 16; // there are no smaller tiles
      if (shape.values % blocks == 0 && (shape.tileKeys() * shape.tileValues() <= mostNumbers || isNarrow))
        cuts.push_back({chunk, blocks});
    }
  return cuts;
}

/// The shared memory that a walk takes as a kernel, in bytes; nothing where it is more than any GPU has.
std::optional<int64_t> sharedMemoryOf(kern::WalkOp walk) {
  ScopedDiagnosticHandler quiet(walk.getContext(), [](Diagnostic &) { return success(); });
  OpBuilder end = OpBuilder::atBlockEnd(walk->getParentOfType<ModuleOp>().getBody());
  auto kernels = gpu::GPUModuleOp::create(end, walk.getLoc(), "trial");
  CudaBuilder b(walk.getLoc(), walk.getContext());
  kern::setKernelName(walk, "trial");
  std::optional<int64_t> bytes;
  if (succeeded(buildWalkKernel(b, kernels, walk, mostShared)))
    bytes = dynamicSharedOf(*kernels.getOps<LLVM::LLVMFuncOp>().begin());
  walk.removeKernelAttr();
  kernels.erase();
  return bytes;
}

/// Orders the body of a walk and says where what it carries lies.
void tidy(kern::WalkOp walk) {
  IRRewriter rewriter(walk.getContext());
  (void)runRegionDCE(rewriter, walk->getRegions());
  orderTiles(walk);
  walk.setSharedState(HeldTiles(walk).most() > mostWithState);
  walk.setHeld(HeldTiles(walk).most());
}

/// What stands for a mixer while it is decided upon: the operations in front of it that were written for it.
class Trial {
public:
  template <typename Write>
  Trial(Operation *op, Write write) : op(op), before(op->getPrevNode()) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    results = write(builder);
    forEachWalk(tidy);
  }

  void forEachWalk(llvm::function_ref<void(kern::WalkOp)> work) {
    for (Operation *each = before ? before->getNextNode() : &op->getBlock()->front(); each != op;
         each = each->getNextNode())
      if (auto walk = dyn_cast<kern::WalkOp>(each))
        work(walk);
  }

  double time(int64_t processors) {
    double sum = 0;
    forEachWalk([&](kern::WalkOp walk) { sum += estimateWalk(walk, processors); });
    return sum;
  }

  void accept() {
    if (op->hasAttr(kRepeatedAttr))
      forEachWalk([](kern::WalkOp walk) { walk.setGradient(true); });
    op->replaceAllUsesWith(ValueRange(results));
    op->erase();
  }

  void drop() {
    while (op->getPrevNode() != before)
      op->getPrevNode()->erase();
  }

private:
  Operation *op, *before;
  SmallVector<Value> results;
};

struct ExpandMixersPass : stretto::codegen::impl::ExpandMixersBase<ExpandMixersPass> {
  using ExpandMixersBase::ExpandMixersBase;

  LogicalResult initialize(MLIRContext *context) final {
    return requireAtLeast(1, {{"processors", processors}, {"shared-bytes", sharedBytes}}, context);
  }

  void runOnOperation() final {
    getOperation().walk([&](Operation *op) {
      if (isNarrowMixer(op))
        return noteNarrow(op);
      if (auto mixer = dyn_cast<seq::MixerOp>(op))
        expand(mixer, writeMixer);
      else if (auto grad = dyn_cast<seq::MixerGradOp>(op))
        expand(grad, writeMixerGradient);
    });
  }

private:
  /// First without a kernel that holds more tiles than registers have room for, then in any way that fits.
  template <typename Op, typename Write> void expand(Op op, Write write) {
    if (op.getEraseWrite())
      return leave(op, "it erases under other keys than it writes");
    for (int64_t most : {op.decaysByChannel() ? mostByChannel : mostRegisters, std::numeric_limits<int64_t>::max()})
      for (MixerCut cut : cutsOf(op))
        if (doesFit(op, write, cut, most)) {
          cut.span = span ? span : chooseSpan(op, write, cut, most);
          return tryOut(op, write, cut).accept();
        }
    leave(op, "its tiles do not fit into shared memory, however it is cut");
  }

  template <typename Op, typename Write> static Trial tryOut(Op op, Write write, MixerCut cut) {
    return Trial(op, [&](ImplicitLocOpBuilder &builder) { return write(builder, op, cut); });
  }

  template <typename Op, typename Write> bool doesFit(Op op, Write write, MixerCut cut, int64_t registers) {
    Trial trial = tryOut(op, write, cut);
    bool fit = fits(trial, registers);
    trial.drop();
    return fit;
  }

  template <typename Op, typename Write> double timeOf(Op op, Write write, MixerCut cut) {
    Trial trial = tryOut(op, write, cut);
    double time = trial.time(processors);
    trial.drop();
    return time;
  }

  /// Chunks of the spans that are side by side, where programs are too few for the device; 0: a sequence is one span.
  template <typename Op, typename Write> int64_t chooseSpan(Op op, Write write, MixerCut cut, int64_t registers) {
    MixerShape whole(op, cut);
    int64_t most = std::min(processors / (whole.batch * whole.programs()), whole.chunks() / leastSpan);
    if (most < 2)
      return 0;
    double timeOfWhole = timeOf(op, write, cut), time = mostTime * timeOfWhole;
    MixerCut best = cut;
    for (int64_t spans = most; spans > 1; spans /= 2) {
      cut.span = llvm::divideCeil(whole.chunks(), spans);
      if (double other = timeOf(op, write, cut); other < time)
        time = other, best = cut;
    }
    if (best.span == 0 || !doesFit(op, write, best, registers))
      return 0;
    reportSpans(op, MixerShape(op, best), time, timeOfWhole);
    return best.span;
  }

  static void reportSpans(Operation *op, const MixerShape &shape, double time, double timeOfWhole) {
    std::string text = llvm::formatv("{0} spans of {1} chunks side by side: {2:F0} us by estimate instead of {3:F0}",
                                     shape.spans(), shape.span, time, timeOfWhole);
    remark::passed(op->getLoc(), remarkAt(op)) << text;
  }

  bool fits(Trial &trial, int64_t registers) {
    bool fit = true;
    trial.forEachWalk([&](kern::WalkOp walk) {
      if (!fit || static_cast<int64_t>(*walk.getHeld()) > registers)
        return void(fit = false);
      std::optional<int64_t> bytes = sharedMemoryOf(walk);
      fit = bytes && *bytes <= sharedBytes;
    });
    return fit;
  }

  static remark::RemarkOpts remarkAt(Operation *op) {
    StringRef function = op->getParentOfType<func::FuncOp>().getName();
    return remark::RemarkOpts::name("ExpandMixers").category("kernels").function(function);
  }

  static void noteNarrow(Operation *op) {
    remark::missed(op->getLoc(), remarkAt(op))
        << "no tile program: with heads of few columns, each key column of each head has a thread";
  }

  static void leave(Operation *op, const Twine &why) {
    remark::missed(op->getLoc(), remarkAt(op)) << ("computed by the library: " + why).str();
  }
};
} // namespace
