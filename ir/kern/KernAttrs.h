//===- KernAttrs.h - the attributes of the dialect `kern` -----------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "ir/kern/KernDialect.h.inc"
#include "ir/kern/KernEnums.h.inc"

#include "ir/kern/KernAttrInterfaces.h.inc"

namespace stretto::kern {
/// Rows, columns, blocks and the like that an attribute counts.
inline constexpr int64_t mostOfCount = INT32_MAX;
/// Rows that a schedule computes together: their code is there once for each.
inline constexpr int64_t mostRows = 32;
/// Columns that it computes together, as a vector.
inline constexpr int64_t mostLanes = 64;
/// Rows of a strip that a matmul computes before its epilogue does: a tile of so many lies in no cache any more.
inline constexpr int64_t mostBlock = 4096;
} // namespace stretto::kern

#define GET_ATTRDEF_CLASSES
#include "ir/kern/KernAttrs.h.inc"
