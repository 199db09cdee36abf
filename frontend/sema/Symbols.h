// Which names of a file are symbols.
#ifndef STRETTO_FRONTEND_SEMA_SYMBOLS_H
#define STRETTO_FRONTEND_SEMA_SYMBOLS_H

#include "frontend/parse/AST.h"

#include "llvm/ADT/StringSet.h"

namespace stretto::frontend {

/// Adds every name in a set or enum of the file: nothing else can be a symbol.
void collectSymbols(const SourceTree &tree, llvm::StringSet<> &symbols);

} // namespace stretto::frontend

#endif
