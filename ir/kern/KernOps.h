//===- KernOps.h - the dialect `kern`: how a model is computed ----------------===//
#pragma once

#include "ir/kern/KernInterfaces.h"
#include "ir/seq/SeqOps.h"

namespace stretto::kern {
class YieldOp;
}
#define GET_OP_CLASSES
#include "ir/kern/KernOps.h.inc"
