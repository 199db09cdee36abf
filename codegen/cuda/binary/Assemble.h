//===- Assemble.h - from PTX to machine code and its text ----------------------===//
#pragma once

#include "codegen/cuda/binary/Toolkit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::codegen {

/// Assembles the PTX of a module by ptxas. What ptxas says is reported as errors and warnings of the kernel that it is
/// about, at the kernel's place in the source. `meanwhile` runs beside ptxas.
mlir::FailureOr<std::string> assemble(mlir::gpu::GPUModuleOp module, llvm::StringRef ptx, const Chip &chip,
                                      const Toolkit &toolkit, llvm::function_ref<void()> meanwhile);

/// The bytes of arrays that PTX declares in local memory, by kernel; those without any are left out.
llvm::StringMap<int64_t> localArrays(llvm::StringRef ptx);

/// Machine code as text, by nvdisasm or cuobjdump. Returns an error text, or an empty one.
std::string disassemble(llvm::StringRef cubin, const Toolkit &toolkit, std::string &text);

} // namespace stretto::codegen
