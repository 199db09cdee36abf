//===- SeqOps.h - the dialect `seq`: what a sequence model is ----------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/seq/SeqInterfaces.h"
#include "ir/seq/TensorShape.h"

#include "ir/seq/SeqDialect.h.inc"
#include "ir/seq/SeqEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/seq/SeqAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/seq/SeqOps.h.inc"
