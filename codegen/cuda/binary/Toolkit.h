//===- Toolkit.h - NVIDIA's assembler and what goes with it --------------------===//
//
// LLVM writes PTX; the assembler `ptxas` makes machine code of it. It comes with the CUDA toolkit and with the wheels
// nvidia-cuda-nvcc and triton (PyTorch brings the latter), together with libdevice (mathematical functions as LLVM
// bitcode) and disassemblers, but not everything with each.
#pragma once

#include "codegen/cuda/binary/Chip.h"

namespace stretto::codegen {

/// The tools for one chip, as found on this machine.
struct Toolkit {
  std::string ptxas;     // path
  unsigned release = 0;  // of ptxas, 1208 for 12.8
  unsigned ptx = 0;      // the newest PTX version that both ptxas and LLVM know, 87 for 8.7
  std::string libdevice; // path; empty: not found
  std::string nvdisasm;  // path; empty: not found
  std::string cuobjdump; // path; empty: not found

  /// Looks for tools that can make code for `chip`, in this order:
  ///   1. `cudaPath`, the value of --cuda-path; if it is not empty, ptxas must be there
  ///   2. the folders that CUDA_HOME and CUDA_PATH name
  ///   3. ptxas on PATH
  ///   4. /usr/local/cuda
  ///   5. the wheel nvidia-cuda-nvcc, then the wheel triton, beside the PyTorch that Stretto was built with
  /// The first ptxas that is new enough for the chip is taken, and the other files from its folder or, where it lacks
  /// them, from the first that has them. Reports what was found instead where there is none.
  static llvm::FailureOr<Toolkit> find(llvm::StringRef cudaPath, const Chip &chip,
                                       llvm::function_ref<void(const llvm::Twine &)> reportError);
};

/// The newest PTX version that the ptxas of a CUDA release (1208 for 12.8) takes and LLVM 22 can write; 0: a release
/// before 12.0, which Stretto does not support.
unsigned ptxOfRelease(unsigned release);

/// The release that `ptxas --version` prints, 1208 for 12.8; 0: the text names none.
unsigned readRelease(llvm::StringRef versionText);

} // namespace stretto::codegen
