// Arithmetic on numbers: exact on ints and their quotients.
#pragma once

#include "frontend/sema/Value.h"

namespace stretto::frontend {

/// Arithmetic and comparison of two numbers. Exact on ints and quotients. On failure returns an error
/// value and sets `problem` (e.g. "the result does not fit an int").
Value computeNumbers(BinaryOperator op, const Value &a, const Value &b, SourceRange range, std::string &problem);

} // namespace stretto::frontend
