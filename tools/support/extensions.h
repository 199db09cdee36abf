// What the compiler was built with besides what lies in this repository (docs/extending.md).
#pragma once

#include <string>
#include <vector>

namespace stretto::tools {

// Makes known what the extensions bring. Once, before anything is read.
void addExtensions();

// The names of the libraries that programs need for them, which lie where those of the runtime do.
std::vector<std::string> extensionLibraries();

} // namespace stretto::tools
