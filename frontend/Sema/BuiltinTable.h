// The built-in operations: their parameters, defaults and meaning in one table.
#ifndef STRETTO_FRONTEND_SEMA_BUILTINTABLE_H
#define STRETTO_FRONTEND_SEMA_BUILTINTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace stretto {

/// What an argument must be. `Any`: a number or a tensor, decided by the operation.
enum class ArgumentKind : uint8_t { Any, Tensor, Int, Float, Bool, Enum, Initializer };

struct BuiltinParameter {
  llvm::StringRef name;
  ArgumentKind kind;
  bool isRequired = false;
  llvm::StringRef members = {}; // of Enum: "none silu"; the first is the default
};

struct BuiltinSignature {
  llvm::StringRef name;
  llvm::ArrayRef<BuiltinParameter> parameters;
  /// All positional arguments belong to the first parameter; the others are given by name.
  bool isVariadic = false;
};

const BuiltinSignature *findBuiltin(llvm::StringRef name);
std::vector<llvm::StringRef> builtinNames();

} // namespace stretto

#endif
