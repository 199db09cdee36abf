// Elaboration: the program is evaluated with the values of all its parameters known.
#pragma once

#include "frontend/diagnostics/Diagnostics.h"
#include "frontend/sema/Loader.h"
#include "frontend/sema/Program.h"

#include <limits>

namespace stretto::frontend {

/// "name=value" of --set.
struct Override {
  std::string name, value;
};

struct ElaborationOptions {
  std::string model;               // which model; empty: the only one of the main file
  std::vector<Override> overrides; // the last one of a name counts
  int64_t batch = 1, length = 1;   // shape of `tokens`
  int64_t vocabulary = 0;          // of the task; binds the parameter `vocab`; 0: unknown
  // Numbers of the model's element type, above 0: smaller ones are 0 in it, larger ones infinite.
  double smallest = std::numeric_limits<float>::denorm_min(), largest = std::numeric_limits<float>::max();
};

/// Elaborates a model of the main file. Nothing if there were errors.
std::optional<Program> elaborate(const LoadedProgram &loaded, const ElaborationOptions &options, SourceFiles &sources,
                                 Diagnostics &diagnostics);

} // namespace stretto::frontend
