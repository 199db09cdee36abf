//===- EmitObject.h - from the LLVM dialect to a file --------------------------===//
#pragma once

#include "codegen/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class raw_pwrite_stream;
}

namespace stretto::codegen {

/// A compiler that is built with AddressSanitizer makes code for it: who links or loads that has its runtime.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool runsUnderAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool runsUnderAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool runsUnderAddressSanitizer = false;
#endif

/// How far a module in the LLVM dialect is taken.
enum class OutputKind { llvmIR, assembly, object };

/// Writes `module` (operations of the LLVM dialect alone) as optimized LLVM IR, assembly or an object for `target`.
/// `checkAddresses`: AddressSanitizer looks at each access of the code. Failures are reported at the module.
mlir::LogicalResult emitMachineCode(mlir::ModuleOp module, const Target &target, OutputKind kind,
                                    llvm::raw_pwrite_stream &out, bool checkAddresses = runsUnderAddressSanitizer);

/// Writes an object file to `path`; the file appears whole or not at all.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const Target &target, llvm::StringRef path);

} // namespace stretto::codegen
