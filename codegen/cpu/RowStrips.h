//===- RowStrips.h - which kernels of rows walk strips of columns --------------===//
#pragma once

#include "codegen/rows/Strips.h"

namespace stretto::codegen {

/// How the columns of a kernel without a matmul are cut, and how many strips that makes.
struct RowStrips {
  StripForm form;
  int64_t count;
};

/// Bytes of operands and results that one row touches.
int64_t bytesPerRow(kern::RowKernel op);
/// Bytes of the sums of columns that each chunk leaves.
int64_t columnSumBytes(kern::RowKernel op);

/// Strips for a kernel that adds up columns, if what each block of its rows reads and writes again (these sums, and
/// operands that all rows share, such as taps) is at least `keptBytes` and drives its rows out of the first-level
/// cache: as many as keep about two thirds of that each. None: whole rows are as good, or cannot be cut.
std::optional<RowStrips> chooseRowStrips(kern::RowKernel op, int64_t keptBytes);
/// Strips of `width` columns; none: columns of two of these meet.
std::optional<RowStrips> rowStripsOf(kern::RowKernel op, int64_t width);

} // namespace stretto::codegen
