//===- Options.h - the command line of stretto-compile ------------------------===//
#pragma once

#include "codegen/pipelines/Backends.h"
#include "codegen/scaling/RankRequest.h"
#include "tools/stretto-compile/CompileOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stretto::tools {

/// What the command line asks for.
struct CommandLine {
  Command command = Command::compile;
  bool help = false, version = false;
  std::string spec, model, output;
  std::string task, preset;
  std::vector<std::string> taskSettings, importFolders, schedules;
  std::vector<std::pair<std::string, std::string>> overrides;
  std::optional<int64_t> batch, length, vocabulary;
  std::optional<double> nllSquare, zLoss; // coefficients of terms of the loss
  std::string lrFactors, weightDecayFactors;
  std::string dtype = "f32", cpu = "native", fuse = "all", emit, dumpFolder;
  const codegen::Backend *backend = codegen::allBackends().front(); // --target
  bool targetGiven = false;                                         // else it may be that of the device
  const codegen::Device *device = nullptr;                          // of each rank
  codegen::RankRequest rankRequest;
  codegen::RankShape rankShape;       // what follows from the request
  codegen::BackendSettings settings;  // as the user gave them
  std::vector<llvm::StringRef> given; // names of options, also of backends
  int64_t memoryBudget = 0;
  int64_t bucketBytes = 0;
  std::optional<int64_t> decode;  // tokens of a chunk of the decode entries; 0: none; nothing: as the task needs it
  bool decodesWhereItCan = false; // as if the task needed it
  bool maskDocuments = false, json = false, locations = false, explain = false, summary = false, inPlace = false,
       bundle = false;
  bool sanitize = false; // AddressSanitizer looks at what kernels on the CPU access

  /// Whether the kernels are code of a GPU, and not emulated.
  bool makesDeviceCode() const { return backend->hasDeviceCode() && !settings.emulate; }
  /// Whether --emit names machine code of the device as text.
  bool printsDeviceCode() const { return llvm::is_contained(backend->deviceTexts(), emit); }
};

/// Reads the arguments; on a mistake fills `error` (one line, with the nearest name) and returns nothing.
std::optional<CommandLine> parseCommandLine(llvm::ArrayRef<std::string> arguments, std::string &error);

/// The help text of a command.
std::string helpText(Command command);

} // namespace stretto::tools
