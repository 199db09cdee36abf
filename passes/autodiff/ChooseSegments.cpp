//===- ChooseSegments.cpp - how far apart the saved states of mixers are ----------===//
#include "passes/autodiff/Passes.h"
#include "passes/support/ParameterLayout.h"
#include "passes/support/Requirements.h"

#include "ir/seq/ActivationType.h"
#include "ir/seq/Marks.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::passes {
#define GEN_PASS_DEF_CHOOSESEGMENTS
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Tokens of a segment where no budget says otherwise: a state for each 256 tokens takes dk / 256 of the bytes of v,
/// and twice that where v is bf16, as states are not.
constexpr int64_t kUsualSegment = 256, kUsualSegmentOfBf16 = 512;

/// The mixers of a module, and the memory that they share.
class SegmentChoice {
public:
  /// `budget`: bytes of all saved values, or 0.
  SegmentChoice(ModuleOp module, int64_t budget)
      : module(module), usual(roundedActivationType(module) ? kUsualSegmentOfBf16 : kUsualSegment), budget(budget) {
    module.walk([&](seq::ScanOp scan) { trips[scan.getBody()] = scan.getTrips(); });
  }

  /// Reports a backward of a mixer that does not say how much it reads.
  LogicalResult run() {
    if (budget > 0 && failed(countRoom()))
      return failure();
    SmallVector<seq::MixerOp> mixers;
    module.walk([&](seq::MixerOp mixer) {
      if (!mixer.getStates())
        return;
      if (mixer->hasAttr(kRepeatedAttr)) // saves nothing
        setSegment(mixer, usual);
      else
        mixers.push_back(mixer);
    });
    for (seq::MixerOp mixer : mixers)
      room -= bytesOfAll(mixer, usual) - bytesOfAll(mixer, mixer.getSegment());
    for (seq::MixerOp mixer : mixers)
      decide(mixer);
    return success();
  }

private:
  LogicalResult countRoom() {
    room = budget;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool hasMixers = function.walk([](seq::MixerGradOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (hasMixers && !requireAttribute<IntegerAttr>(function, kSavedBytesAttr, "seq-choose-saved"))
        return failure();
      if (auto saved = function->getAttrOfType<IntegerAttr>(kSavedBytesAttr))
        room -= runsOf(function) * saved.getInt();
    }
    return success();
  }

  int64_t runsOf(func::FuncOp function) const {
    auto known = trips.find(function.getName());
    return known == trips.end() ? 1 : known->second;
  }
  /// Bytes of the states of one run, and of all layers.
  static int64_t stateBytes(seq::MixerOp mixer, int64_t segment) { return bytesOf(mixer.getStatesType(segment)); }
  int64_t bytesOfAll(seq::MixerOp mixer, int64_t segment) const {
    return runsOf(mixer->getParentOfType<func::FuncOp>()) * stateBytes(mixer, segment);
  }
  /// What a segment takes more than the usual one.
  int64_t excess(seq::MixerOp mixer, int64_t segment) const {
    return bytesOfAll(mixer, segment) - bytesOfAll(mixer, usual);
  }

  void decide(seq::MixerOp mixer) {
    int64_t segment = usual;
    if (budget > 0) {
      segment = seq::MixerOp::segmentMultiple;
      while (segment < usual && excess(mixer, segment) > std::max<int64_t>(room, 0))
        segment *= 2;
      remarkRefused(mixer, segment);
      room -= excess(mixer, segment);
    }
    setSegment(mixer, segment);
    remark::passed(mixer.getLoc(), options(mixer))
        << stateBefore(segment) << remark::metric("Bytes", stateBytes(mixer, segment));
  }

  static void setSegment(seq::MixerOp mixer, int64_t segment) {
    mixer->setAttr(kSegmentAttr, Builder(mixer).getI64IntegerAttr(segment));
  }

  /// The next shorter segment did not fit.
  void remarkRefused(seq::MixerOp mixer, int64_t segment) const {
    if (segment == seq::MixerOp::segmentMultiple)
      return;
    int64_t shorter = segment / 2;
    remark::missed(mixer.getLoc(), options(mixer))
        << stateBefore(shorter)
        << remark::reason("{0} bytes more of all layers, and the memory budget leaves {1}", excess(mixer, shorter),
                          std::max<int64_t>(room, 0));
  }

  static std::string stateBefore(int64_t segment) {
    return "the state before each " + std::to_string(segment) + " tokens";
  }
  static remark::RemarkOpts options(seq::MixerOp mixer) {
    return remark::RemarkOpts::name("ChooseSegments")
        .category("memory")
        .function(mixer->getParentOfType<func::FuncOp>().getName());
  }

  ModuleOp module;
  int64_t usual, budget, room = 0; // room: what the budget leaves, with segments of the usual length
  llvm::StringMap<int64_t> trips;
};

struct ChooseSegmentsPass : stretto::passes::impl::ChooseSegmentsBase<ChooseSegmentsPass> {
  using ChooseSegmentsBase::ChooseSegmentsBase;
  void runOnOperation() final {
    if (failed(SegmentChoice(getOperation(), memoryBudget).run()))
      signalPassFailure();
  }
};
} // namespace
