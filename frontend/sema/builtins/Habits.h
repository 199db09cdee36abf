// What is called or written otherwise elsewhere, so that a name typed by habit is answered with ours.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace stretto::frontend {

/// What to write in place of an operation that there is not: "; did you mean 'concat'?" for `cat`. Empty for names that
/// are not known from elsewhere.
std::string adviceByHabit(llvm::StringRef operation);

/// Our name of a parameter ("kernel" for `kernel_size`), or empty.
llvm::StringRef parameterByHabit(llvm::StringRef name);

/// What to write in place of a parameter that an operation does not have, or empty.
llvm::StringRef insteadOfParameter(llvm::StringRef operation, llvm::StringRef name);

} // namespace stretto::frontend
