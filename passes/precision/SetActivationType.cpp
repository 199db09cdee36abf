//===- SetActivationType.cpp - in which type activations are to be held -------===//
#include "passes/precision/Passes.h"

#include "ir/seq/ActivationType.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SETACTIVATIONTYPE
#include "passes/precision/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct SetActivationTypePass : stretto::passes::impl::SetActivationTypeBase<SetActivationTypePass> {
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
