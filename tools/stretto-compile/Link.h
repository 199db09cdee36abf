//===- Link.h - objects become programs ---------------------------------------===//
#pragma once

#include "codegen/target/Backend.h"

#include <string>
#include <vector>

namespace stretto::tools {

/// Paths of the libraries that programs of a backend are linked with or load, which lie in ../lib beside this program,
/// in the order of linking. Fills `error` where something is missing.
struct ProgramLibraries {
  std::vector<std::string> linked, loaded;
};
ProgramLibraries findLibraries(const codegen::Backend &backend, const codegen::BackendSettings &settings,
                               std::string &error);

/// Why programs of a backend cannot be linked here, as a text; empty where nothing is known to be wrong.
std::string whyNotLinkable(const codegen::Backend &backend, const codegen::BackendSettings &settings);

/// Links a compiled object with the main of training programs and these libraries. The program looks for them in the
/// folder `search`, which may open with $ORIGIN, its own. `checksAddresses`: the object calls AddressSanitizer. Returns
/// an error text, or an empty one.
std::string linkProgram(llvm::StringRef object, llvm::StringRef output, const ProgramLibraries &libraries,
                        llvm::StringRef search, bool checksAddresses);

} // namespace stretto::tools
