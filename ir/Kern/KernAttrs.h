//===- KernAttrs.h - the attributes of the dialect `kern` -----------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "ir/Kern/KernDialect.h.inc"
#include "ir/Kern/KernEnums.h.inc"

#include "ir/Kern/KernAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/Kern/KernAttrs.h.inc"
