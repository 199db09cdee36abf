//===- Facts.h - what many operations say of operands and results -------------===//
#pragma once

#include "ir/seq/SeqInterfaces.h"

namespace stretto::seq::facts {

// Rows are read where they lie, whatever lies beside them; "own": nothing does.
inline constexpr ValueFacts roundedRow{RowKind::row, Rounding::required, /*mayBeColumns=*/true};
inline constexpr ValueFacts storedRow{RowKind::row, Rounding::allowed, /*mayBeColumns=*/true};
inline constexpr ValueFacts exactRow{RowKind::row, Rounding::never, /*mayBeColumns=*/true};
inline constexpr ValueFacts ownRow{RowKind::row, Rounding::allowed};
inline constexpr ValueFacts ownExactRow{RowKind::row};
inline constexpr ValueFacts roundedWeight{RowKind::shared, Rounding::required};
inline constexpr ValueFacts storedWeight{RowKind::shared, Rounding::allowed};
inline constexpr ValueFacts exactWeight{RowKind::shared};
inline constexpr ValueFacts weightGradient{RowKind::shared};
inline constexpr ValueFacts statistics{RowKind::other};
inline constexpr ValueFacts cached{RowKind::other, Rounding::allowed};
inline constexpr ValueFacts roundedCache{RowKind::other, Rounding::required};

} // namespace stretto::seq::facts
