//===- SetSegments.cpp - segments of mixers as they were chosen -------------------===//
#include "passes/autodiff/Passes.h"
#include "passes/support/ParameterLayout.h"
#include "passes/support/Scans.h"

#include "ir/seq/Marks.h"
#include "ir/seq/TensorBytes.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SETSEGMENTS
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Gives the states of one mixer another type, from the mixer to its gradient.
class StatesTo {
public:
  /// `more`: bytes that they take more than before.
  StatesTo(seq::MixerOp mixer, int64_t segment, int64_t more) : mixer(mixer), segment(segment), more(more) {}

  /// The value and whatever reads it; reports a reader that cannot follow.
  LogicalResult retype(Value states, RankedTensorType type) {
    states.setType(type);
    for (OpOperand &use : states.getUses())
      if (failed(follow(use, type)))
        return failure();
    return success();
  }

private:
  LogicalResult follow(OpOperand &use, RankedTensorType type) {
    Operation *reader = use.getOwner();
    if (auto grad = dyn_cast<seq::MixerGradOp>(reader)) {
      grad.setSegment(segment);
      if (!mixer->hasAttr(kRepeatedAttr))
        countIn(grad->getParentOfType<func::FuncOp>());
      return success();
    }
    if (auto end = dyn_cast<func::ReturnOp>(reader))
      return stack(end, use.getOperandNumber(), type);
    if (auto scan = dyn_cast<seq::ScanOp>(reader))
      return slice(scan, use.getOperandNumber(), type);
    return refuse(reader);
  }

  /// What a body returns, its scan stacks.
  LogicalResult stack(func::ReturnOp end, unsigned number, RankedTensorType type) {
    auto body = cast<func::FuncOp>(end->getParentOp());
    seq::ScanOp scan = scanOf(body);
    if (!scan || scan.isCarry(number))
      return refuse(end);
    updateType(body);
    return retype(scan.getResult(number), stackType(scan, type));
  }

  /// What a scan reads slice by slice, its body has as an argument.
  LogicalResult slice(seq::ScanOp scan, unsigned number, RankedTensorType type) {
    func::FuncOp body = bodyOf(scan);
    if (!scan.isSlice(number) || !body || body.isDeclaration())
      return refuse(scan);
    RankedTensorType one = type.clone(type.getShape().drop_front());
    if (body.getArgAttr(number, kSavedAttr))
      body.setArgAttr(number, kSavedAttr, Builder(scan).getI64IntegerAttr(bytesOf(one)));
    LogicalResult done = retype(body.getArgument(number), one);
    updateType(body);
    return done;
  }

  void countIn(func::FuncOp backward) {
    if (auto saved = backward->getAttrOfType<IntegerAttr>(kSavedBytesAttr))
      backward->setAttr(kSavedBytesAttr, Builder(backward).getI64IntegerAttr(saved.getInt() + more));
  }

  LogicalResult refuse(Operation *reader) {
    InFlightDiagnostic error = reader->emitOpError()
                               << "cannot read states of a mixer whose segments change: only seq.mixer_grad can, and a "
                                  "scan that stacks them or reads them by slices";
    error.attachNote(mixer.getLoc()) << "the mixer";
    return error;
  }

  seq::MixerOp mixer;
  int64_t segment, more;
};

struct SetSegmentsPass : stretto::passes::impl::SetSegmentsBase<SetSegmentsPass> {
  void runOnOperation() final {
    SmallVector<seq::MixerOp> mixers;
    getOperation().walk([&](seq::MixerOp mixer) {
      if (mixer->hasAttr(kSegmentAttr))
        mixers.push_back(mixer);
    });
    for (seq::MixerOp mixer : mixers)
      if (failed(set(mixer)))
        return signalPassFailure();
  }

  LogicalResult set(seq::MixerOp mixer) {
    Attribute chosen = mixer->removeAttr(kSegmentAttr);
    auto segment = dyn_cast<IntegerAttr>(chosen);
    int64_t tokens = segment ? segment.getInt() : 0;
    if (tokens < 1 || tokens % seq::MixerOp::segmentMultiple != 0)
      return mixer.emitOpError() << kSegmentAttr << " must be a multiple of " << seq::MixerOp::segmentMultiple
                                 << ", but got " << chosen;
    RankedTensorType type = mixer.getStatesType(tokens);
    int64_t more = bytesOf(type) - bytesOf(mixer.getStatesType(mixer.getSegment()));
    mixer.setSegment(tokens);
    Value states = mixer.getStates();
    return states ? StatesTo(mixer, tokens, more).retype(states, type) : success();
  }
};
} // namespace
