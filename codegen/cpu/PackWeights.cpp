//===- PackWeights.cpp - weights in the order in which matmuls read them ------===//
#include "codegen/cpu/Passes.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "codegen/cpu/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;

static void pack(kern::MatmulOp op, kern::StripScheduleAttr schedule) {
  OpBuilder b(op);
  auto type = kern::PackOp::typeOfPanels(cast<RankedTensorType>(op.getRhs().getType()), op.getForm(),
                                         schedule.getPieces(), schedule.getStrip());
  StringAttr name;
  if (StringAttr kernel = op.getKernelAttr())
    name = b.getStringAttr(kernel.getValue() + ".pack");
  auto panels = kern::PackOp::create(b, op.getLoc(), type, op.getRhs(), op.getForm(), schedule.getPieces(),
                                     schedule.getStrip(), name, kern::ResourcesAttr());
  op.getRhsMutable().assign(panels);
  op.setForm(kern::WeightForm::panels);
}

namespace {
struct PackWeightsPass : stretto::codegen::impl::PackWeightsBase<PackWeightsPass> {
  void runOnOperation() final {
    getOperation()->walk([](kern::MatmulOp op) {
      auto schedule = dyn_cast_or_null<kern::StripScheduleAttr>(op.getScheduleAttr());
      if (schedule && op.getForm() != kern::WeightForm::panels)
        pack(op, schedule);
    });
  }
};
} // namespace
