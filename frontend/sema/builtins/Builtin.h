// The built-in functions of the language: what each takes and means.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace stretto::frontend {

class BuiltinCall;
struct Value;

/// What an argument must be. `Any`: a number or a tensor, decided by the function.
enum class ArgumentKind : uint8_t { Any, Tensor, Int, Float, Bool, Enum, Initializer };

struct BuiltinParameter {
  llvm::StringRef name;
  ArgumentKind kind;
  bool isRequired = false;
  llvm::StringRef members = {}; // of Enum: "none silu"; the first is the default
};

/// A built-in function is described by one entry in the table of its family. Where calls become an operation of
/// the function's name, that operation has an entry in a table of frontend/lowering, too.
struct Builtin {
  llvm::StringRef name;
  std::vector<BuiltinParameter> parameters;
  /// The results of a call whose arguments fit the parameters; error values after an error.
  std::vector<Value> (*meaning)(BuiltinCall &call);
  bool hasOperation = false;
  /// All positional arguments belong to the first parameter; the others are given by name.
  bool isVariadic = false;
  /// Says something of the operations in its operands: they are marked, and named as if they stood there alone.
  bool isAnnotation = false;
};

/// Makes the functions of an extension known, before anything is read. They must live on, and have new names.
void addBuiltins(llvm::ArrayRef<Builtin> family);

/// Null if there is none.
const Builtin *findBuiltin(llvm::StringRef name);
std::vector<llvm::StringRef> builtinNames();
/// All names that an operation of an elaborated program can have.
std::vector<llvm::StringRef> operationNames();

} // namespace stretto::frontend
