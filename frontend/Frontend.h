// The front end: a .stretto text becomes a verified `seq` module, or diagnostics.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stretto::frontend {

enum class ElementType { F32, F64 };

struct FrontendOptions {
  std::string path;                       // of the main file; a name for messages if `text` is given
  std::optional<std::string> text;        // instead of reading the file
  std::vector<std::string> importFolders; // searched after the folder of the importing file
  std::string model;                      // which model of the main file; empty: the only one
  std::vector<std::pair<std::string, std::string>> overrides; // --set name=value, in order
  int64_t batch = 1, length = 1;                              // shape of the tokens
  int64_t vocabulary = 0; // of the task: binds the parameter `vocab` unless it is overridden; 0: unknown
  ElementType elementType = ElementType::F32;
};

struct FrontendResult {
  /// A module with the attributes seq.model, seq.batch, seq.length, seq.vocabulary; its entry is @main.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// JSON array: {"name", "type", "value", "origin"} of each parameter of the model; the origin is "--set",
  /// "task" or "default file:line:column".
  std::string parametersJson;
  /// The main file with its imports inlined: it compiles alone.
  std::string specText;
  /// The paths of the main file and of its imports.
  std::vector<std::string> files;
};

/// Loads the dialects it needs into the context. Nothing after an error; the errors are printed.
std::optional<FrontendResult> compileSpec(mlir::MLIRContext &context, const FrontendOptions &options,
                                          llvm::raw_ostream &errors);

/// The text of a spec, as compileSpec reads it; otherwise nothing, and `problem` says what is wrong.
std::optional<std::string> readSpec(llvm::StringRef path, std::string &problem);

/// Prints a line of a file, a spec or IR, with a caret under a column, as messages of the front end do; nothing where
/// there is no such place.
void printPlace(llvm::StringRef path, unsigned line, unsigned column, llvm::raw_ostream &os);

/// The text in canonical layout, comments kept. Nothing after a syntax error; the errors are printed.
std::optional<std::string> formatSource(llvm::StringRef name, llvm::StringRef text, llvm::raw_ostream &errors);

/// Prints the syntax tree of the main file (its imports are not read). False after an error.
bool dumpAst(const FrontendOptions &options, llvm::raw_ostream &os, llvm::raw_ostream &errors);

} // namespace stretto::frontend
