// Tokens -> syntax tree.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"
#include "frontend/parse/AST.h"

#include "llvm/Support/raw_ostream.h"

namespace stretto::frontend {

/// The most that expressions and bodies may be nested.
constexpr unsigned maxNesting = 256;

/// Parses a file. After an error it goes on at the next statement or declaration, so that one run reports
/// several errors; the tree then holds what was understood.
SourceTree parseFile(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics);

/// Parses a text that is one expression (the value of an override). Null after an error.
ExprPtr parseExpression(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics);

/// Prints the tree, one node per line, indented.
void dumpTree(const SourceTree &tree, llvm::raw_ostream &os);

} // namespace stretto::frontend
