//===- KernAttrs.h - the attributes of the dialect `kern` -----------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "ir/kern/KernDialect.h.inc"
#include "ir/kern/KernEnums.h.inc"

#include "ir/kern/KernAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/kern/KernAttrs.h.inc"
