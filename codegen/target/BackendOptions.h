//===- BackendOptions.h - what backends can be told ----------------------------===//
//
// Plain C++, without LLVM: `stretto`, which only starts other programs, reads the names from here, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace stretto::codegen {

/// What a user may say about the device and the way to it, besides its name. Each backend takes some of it.
struct BackendSettings {
  std::string chip;         // the device's architecture; empty: the backend's own choice
  std::string cudaPath;     // folder of the CUDA toolkit; empty: look for it
  bool emulate = false;     // run the device's kernels on the CPU
  int64_t maxDocuments = 0; // documents that a batch has room for; 0: the backend's own choice
};

/// How one of them is written on a command line, and where its value lies: a text, a flag, or a count from 1 on.
struct BackendOption {
  std::string_view name, value, help; // value: how it is shown in the help; empty: a flag
  std::variant<std::string BackendSettings::*, bool BackendSettings::*, int64_t BackendSettings::*> field;
};

inline constexpr BackendOption backendOptions[] = {
    {"--max-documents", "N",
     "how many documents a batch may hold; those of the task, or one for 16 tokens of a sequence, if none is named",
     &BackendSettings::maxDocuments},
    {"--chip", "CHIP", "the GPU architecture, sm_80 or newer; sm_90a if none is named", &BackendSettings::chip},
    {"--cuda-path", "DIR", "the folder of the CUDA toolkit, if it is not to be looked for", &BackendSettings::cudaPath},
    {"--emulate", "", "run the GPU's kernels on the CPU, slowly, to check them", &BackendSettings::emulate},
};

/// The target whose programs need no device beside the CPU.
inline constexpr std::string_view hostTarget = "cpu";

} // namespace stretto::codegen
