// Text -> tokens.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"
#include "frontend/lex/Token.h"

namespace stretto::frontend {

/// Splits a source file into tokens, comments included; the last one is End. Bad characters, unfinished
/// strings and numbers out of range are reported and become Error tokens.
std::vector<Token> lex(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics);

/// The same of a part of a file that `lex` took for text before.
std::vector<Token> lex(const SourceFiles &sources, SourceRange part, Diagnostics &diagnostics);

} // namespace stretto::frontend
