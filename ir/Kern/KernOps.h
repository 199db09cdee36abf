//===- KernOps.h - the dialect `kern`: how a model is computed ----------------===//
#pragma once

#include "ir/Seq/SeqOps.h"

#include "ir/Kern/KernDialect.h.inc"
#include "ir/Kern/KernEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/Kern/KernAttrs.h.inc"
namespace stretto::kern {
class YieldOp;
}
#define GET_OP_CLASSES
#include "ir/Kern/KernOps.h.inc"
