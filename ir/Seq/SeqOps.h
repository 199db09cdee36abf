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

#include "ir/Seq/SeqInterfaces.h"

#include "ir/Seq/SeqDialect.h.inc"
#include "ir/Seq/SeqEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/Seq/SeqAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/Seq/SeqOps.h.inc"
