//===- SetActivationType.cpp - in which type activations are to be held -------===//
#include "passes/Precision/Passes.h"

#include "ir/Seq/ActivationType.h"

namespace stretto {
#define GEN_PASS_DEF_SETACTIVATIONTYPE
#include "passes/Precision/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
struct SetActivationTypePass : stretto::impl::SetActivationTypeBase<SetActivationTypePass> {
  using SetActivationTypeBase::SetActivationTypeBase;

  void runOnOperation() final {
    if (type != "bf16") {
      getOperation().emitError() << "the type of activations must be bf16, but got '" << type << "'";
      return signalPassFailure();
    }
    for (auto parameter : getOperation().getOps<seq::ParameterOp>())
      if (!parameter.getTensorType().getElementType().isF32()) {
        parameter.emitOpError() << "must be f32 where activations are bf16, but got " << parameter.getType();
        return signalPassFailure();
      }
    getOperation()->setAttr(activationTypeAttr, TypeAttr::get(BFloat16Type::get(&getContext())));
  }
};
} // namespace
